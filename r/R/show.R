# What people see of a model.

print.postrider <- function(x, ...) {
  if (!is.null(x$call)) cat("Call:\n", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  task <- if (length(x$classes) > 0) sprintf("%d classes of", length(x$classes)) else "Amounts of"
  cat(sprintf("%s \"%s\", from the columns %s; %.0f rows learned\n", task, x$target,
              paste(x$columns$column[x$columns$kind != "ignored"], collapse = ", "), x$rows))
  invisible(x)
}

summary.postrider <- function(object, ...) {
  structure(object[c("call", "target", "columns", "classes", "rows", "score")], class = "summary.postrider")
}

print.summary.postrider <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print.postrider(x)
  cat("\nColumns:\n")
  print(x$columns, row.names = FALSE, right = FALSE)
  if (length(x$classes) > 0) cat("\nClasses:", paste(x$classes, collapse = ", "), "\n")
  if (!is.na(x$score[["log_likelihood"]]))
    cat(sprintf("\nOut-of-fold log-likelihood: %s (standard error %s) nats per row; higher is better\n",
                format(x$score[["log_likelihood"]], digits = digits),
                format(x$score[["standard_error"]], digits = digits)))
  invisible(x)
}

# What the rows of newdata have, against what is predicted of them. With one numeric input, along it; else against the
# predicted mean. For classes: the mean probability of each class beside its share, by tenths.
plot.postrider <- function(x, newdata, level = 0.9, ...) {
  if (missing(newdata)) stop("newdata must hold rows with their targets", call. = FALSE)
  columns <- columns_of(x, newdata, with_target = TRUE)
  if (length(x$classes) > 0) return(invisible(plot_classes(x, newdata, columns, ...)))
  observed <- columns[[x$target]]
  found <- predict(x, newdata, interval = "prediction", level = level)
  used <- x$columns$column[x$columns$kind != "ignored"]
  along <- if (length(used) == 1 && is.numeric(columns[[used]])) columns[[used]] else found[, "fit"]
  label <- if (length(used) == 1 && is.numeric(columns[[used]])) used else paste("predicted", x$target)
  shown <- data.frame(along = along, observed = observed, found)
  shown <- shown[order(shown$along), ]
  plot(shown$along, shown$observed, type = "n", xlab = label, ylab = x$target,
       ylim = range(shown$observed, shown$lwr, shown$upr, na.rm = TRUE), ...)
  segments(shown$along, shown$lwr, shown$along, shown$upr, col = "#b8c9dd", lwd = 2)
  lines(shown$along, shown$fit, col = "#1f4e79")
  points(shown$along, shown$observed, pch = 20, cex = 0.6)
  invisible(shown)
}

plot_classes <- function(model, newdata, columns, ...) {
  probabilities <- predict(model, newdata, type = "prob")
  is_class <- outer(as.character(columns[[model$target]]), model$classes, "==")
  tenth <- cut(probabilities, seq(0, 1, 0.1), include.lowest = TRUE)
  shown <- data.frame(predicted = tapply(probabilities, tenth, mean, na.rm = TRUE),
                      share = tapply(is_class, tenth, mean, na.rm = TRUE),
                      rows = as.vector(table(tenth)))
  plot(shown$predicted, shown$share, xlim = c(0, 1), ylim = c(0, 1), pch = 20,
       xlab = "predicted probability", ylab = "share of the rows", ...)
  abline(0, 1, col = "grey")
  shown
}
