/* diag_render.c - prints diagnostics: file:line:col: error: message, the source line, a caret, then the notes. */
#include "ir/context.h"
#include "ir/text.h"

#include <ctype.h>

enum { MAX_SHOWN = 200 }; /* bytes of a line; of a longer line only the part around the column is shown */

/* The line; of a very long one only the text up to a little after the column. */
static NrStr find_line(const NrSource *source, NrLoc loc) {
  size_t before = source->lines_before;
  if (loc->line <= before || loc->line - before > source->num_lines) return (NrStr){source->text.data, 0};
  size_t at = source->lines[loc->line - 1 - before], rest = source->text.size - at;
  const char *line = source->text.data + at;
  rest = NR_MIN(rest, (size_t)loc->column + MAX_SHOWN);
  const char *end = rest ? memchr(line, '\n', rest) : NULL;
  return (NrStr){line, end ? (size_t)(end - line) : rest};
}

typedef struct Style {
  const char *bold, *red, *magenta, *cyan, *green, *off;
} Style;
static const Style plain_style = {"", "", "", "", "", ""};
static const Style color_style = {"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};

/* The end of the word or string at a column: what the caret marks for a location without an end. */
static size_t end_of_word(NrStr line, size_t column) {
  size_t end = column;
  if (end < line.size && line.data[end] == '"') {
    do end += line.data[end] == '\\' ? 2 : 1;
    while (end < line.size && line.data[end] != '"');
    return end < line.size ? end + 1 : column + 1;
  }
  if (end < line.size && strchr("%@^#!", line.data[end])) end++;
  while (end < line.size && (isalnum((unsigned char)line.data[end]) || strchr("_$.", line.data[end]))) end++;
  return end;
}

static bool is_inside_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* Cuts a long line to the part around the column, at character boundaries. Adjusts *io_column; the result says how many
 * bytes were cut off in front. */
static NrStr window(NrStr line, size_t *io_column, size_t *out_cut) {
  size_t cut = line.size > MAX_SHOWN && *io_column > MAX_SHOWN / 2 ? *io_column - MAX_SHOWN / 2 : 0;
  while (cut && is_inside_character(line.data[cut])) cut--;
  size_t end = NR_MIN(line.size, cut + MAX_SHOWN);
  while (end < line.size && end > *io_column && is_inside_character(line.data[end])) end--;
  *io_column -= cut;
  *out_cut = cut;
  return (NrStr){line.data + cut, end - cut};
}

/* Under the line: blanks (tabs stay tabs), ^ and ~ to the end of the range. */
static void render_line(const Style *style, NrLoc loc, NrStr whole, NrBuf *out) {
  while (whole.size && whole.data[whole.size - 1] == '\r') whole.size--;
  size_t cut, column = NR_MIN(loc->column ? loc->column - 1 : 0, whole.size);
  NrStr line = window(whole, &column, &cut);
  if (cut) nr_buf_puts(out, "...");
  nr_buf_str(out, line);
  nr_buf_puts(out, cut + line.size < whole.size ? "...\n" : "\n");
  if (cut) nr_buf_puts(out, "   ");
  for (size_t i = 0; i < column; i++)
    if (!is_inside_character(line.data[i])) nr_buf_putc(out, line.data[i] == '\t' ? '\t' : ' ');
  nr_buf_puts(out, style->green);
  nr_buf_putc(out, '^');
  size_t end = end_of_word(line, column);
  if (loc->end_line > loc->line) end = line.size;
  else if (loc->end_line && loc->end_column > cut) end = loc->end_column - 1 - cut;
  for (size_t i = column + 1; i < end && i < line.size; i++)
    if (!is_inside_character(line.data[i])) nr_buf_putc(out, '~');
  nr_buf_puts(out, style->off);
  nr_buf_putc(out, '\n');
}

static void render_one(NrContext *ctx, const NrDiag *diag, const Style *style, NrBuf *out) {
  static const char *const words[] = {
      [NR_NOTE] = "note", [NR_REMARK] = "remark", [NR_WARNING] = "warning", [NR_ERROR] = "error"};
  const char *const colors[] = {
      [NR_NOTE] = style->cyan, [NR_REMARK] = style->cyan, [NR_WARNING] = style->magenta, [NR_ERROR] = style->red};
  NrLoc loc = nr_loc_in_file(diag->loc);
  nr_buf_puts(out, style->bold);
  if (loc && loc->line) nr_buf_printf(out, "%.*s:%u:%u: ", NR_STR_ARG(loc->name), loc->line, loc->column);
  else if (loc) nr_buf_printf(out, "%.*s: ", NR_STR_ARG(loc->name));
  else if (diag->loc && diag->loc->kind == NR_LOC_NAME) nr_buf_printf(out, "%.*s: ", NR_STR_ARG(diag->loc->name));
  nr_buf_puts(out, style->off);
  nr_buf_printf(out, "%s%s: %s%s", colors[diag->severity], words[diag->severity], style->off, style->bold);
  nr_buf_str(out, diag->message);
  nr_buf_puts(out, style->off);
  nr_buf_putc(out, '\n');
  const NrSource *source = loc && loc->line ? nr_context_find_source(ctx, loc->name) : NULL;
  if (source && source->text.size) render_line(style, loc, find_line(source, loc), out);
}

void nr_diag_render(NrContext *ctx, const NrDiag *diag, bool color, NrBuf *out) {
  const Style *style = color ? &color_style : &plain_style;
  render_one(ctx, diag, style, out);
  for (size_t i = 0; i < diag->num_notes; i++) render_one(ctx, &diag->notes[i], style, out);
}

void nr_diag_list_add(NrDiagList *list, const NrDiag *diag, NrBuf *out) {
  bool counts = diag->severity != NR_REMARK; /* remarks were asked for */
  if (counts && list->limit && list->shown == list->limit) {
    list->hidden++;
    return;
  }
  list->shown += counts;
  nr_diag_render(list->ctx, diag, list->color, out);
}

void nr_diag_list_end(NrDiagList *list, NrBuf *out) {
  if (list->hidden) nr_buf_printf(out, "%zu more like these are not shown\n", list->hidden);
  list->hidden = 0;
}
