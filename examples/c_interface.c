/* Predicts, learns and saves in C: c_interface MODEL NEW_MODEL reads rows from standard input.
 *
 * A row is its cells with tabs between them, in the order of the model's columns. Each row is predicted, and then
 * learned if its target is known.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postrider/c_api.h"

static int fail(const postrider_error* error) {
  fprintf(stderr, "c_interface: %s\n", error->message);
  return 1;
}

/* Cells point into the line; those it does not have are missing. */
static void split(char* line, postrider_cell* cells, size_t columns) {
  line[strcspn(line, "\r\n")] = '\0';
  for (size_t column = 0; column < columns; ++column) {
    cells[column].number = NAN;
    cells[column].text = line;
    if (line == NULL) continue;
    char* const tab = strchr(line, '\t');
    if (tab != NULL) *tab = '\0';
    line = tab == NULL ? NULL : tab + 1;
  }
}

static int predict(const postrider_model* model, const postrider_cell* cells,
                   postrider_error* error) {
  const size_t classes = postrider_classes(model);
  if (classes == 0) {
    double mean, std, low, high;
    if (postrider_predict(model, cells, 1, &mean, &std, error) ||
        postrider_predict_interval(model, cells, 1, 0.9, &low, &high, error))
      return fail(error);
    printf("%.17g %.17g %.17g %.17g\n", mean, std, low, high);
    return 0;
  }
  double* const probabilities = malloc(classes * sizeof *probabilities);
  if (probabilities == NULL) return 1;
  const int failed =
      postrider_predict_probabilities(model, cells, 1, probabilities, error) != POSTRIDER_OK;
  for (size_t which = 0; which < classes && !failed; ++which)
    printf("%s %.17g%s", postrider_class_name(model, which), probabilities[which],
           which + 1 < classes ? ", " : "\n");
  free(probabilities);
  return failed ? fail(error) : 0;
}

int main(int count, char** arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: c_interface MODEL NEW_MODEL < ROWS\n");
    return 2;
  }
  postrider_error error;
  postrider_model* const model = postrider_load(arguments[1], &error);
  if (model == NULL) return fail(&error);
  const size_t columns = postrider_columns(model), target = postrider_target(model);
  postrider_cell* const cells = malloc(columns * sizeof *cells);
  char line[4096];
  int failed = cells == NULL;
  while (!failed && fgets(line, sizeof line, stdin) != NULL) {
    split(line, cells, columns);
    failed = predict(model, cells, &error);
    const char* const known = cells[target].text;
    if (!failed && known != NULL && *known != '\0' && postrider_learn(model, cells, 1, &error))
      failed = fail(&error);
  }
  if (!failed && postrider_save(model, arguments[2], &error)) failed = fail(&error);
  free(cells);
  postrider_free(model);
  return failed;
}
