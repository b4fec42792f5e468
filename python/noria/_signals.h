/* _signals.h - calls of the library during which Python hears of signals. */
#ifndef NORIA_PYTHON_SIGNALS_H
#define NORIA_PYTHON_SIGNALS_H

#include <stdbool.h>

/* To be called once, when the module is imported. False with an exception. */
bool signals_init(void);

/* Calls work(user) without the interpreter's lock. False with an exception when the handler of a signal raised it in
 * the meantime; stop(user) was then called until work came to its end. */
bool signals_run(void (*work)(void *user), void (*stop)(void *user), void *user);

/* After work ended as interrupted: sets the exception that Ctrl-C has to raise here. False where it has none, in
 * another thread than the main one. */
bool signals_raise(void);

#endif
