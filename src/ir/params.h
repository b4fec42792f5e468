/* params.h - parameters of a type or attribute of a dialect, as its definition lists them (type_info.h). */
#ifndef NORIA_IR_PARAMS_H
#define NORIA_IR_PARAMS_H

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/type_info.h"

/* `<` parameters `>`, or nothing if the definition has none; false after an error. */
bool nr_parse_params(NrParser *p, const NrTypeInfo *info, NrAttr *out);
void nr_w_params(NrPrinter *w, const NrTypeInfo *info, const NrAttr *params);

#endif
