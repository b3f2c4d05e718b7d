# Predictions, by the conventions of predict.lm().

predict.postrider <- function(object, newdata, se.fit = FALSE, interval = c("none", "prediction"),
                              level = 0.95, type = c("response", "prob"), ...) {
  interval <- match.arg(interval)
  type <- match.arg(type)
  if (missing(newdata))
    stop("newdata must be given: a model does not keep the rows that it has learned", call. = FALSE)
  columns <- unname(columns_of(object, newdata))
  rows <- rownames(newdata)
  if (length(object$classes) > 0) {
    if (se.fit || interval != "none")
      stop("the target \"", object$target, "\" has classes: ask for type = \"prob\", not for intervals", call. = FALSE)
    found <- .Call(c_probabilities, pointer_of(object), columns)
    dimnames(found) <- list(rows, object$classes)
    if (type == "prob") return(found)
    likeliest <- object$classes[max.col(found, ties.method = "first")]
    return(stats::setNames(factor(likeliest, levels = object$classes), rows))
  }
  if (type == "prob")
    stop("the target \"", object$target, "\" is numeric: it has no classes with probabilities", call. = FALSE)
  found <- .Call(c_predict, pointer_of(object), columns, level)
  fit <- if (interval == "none") stats::setNames(found[, 1], rows)
         else matrix(found[, c(1, 4, 5)], ncol = 3, dimnames = list(rows, c("fit", "lwr", "upr")))
  if (!se.fit) return(fit)
  # What the rows have not taught yet, and the noise.
  list(fit = fit, se.fit = stats::setNames(sqrt(pmax(0, found[, 2]^2 - found[, 3]^2)), rows),
       residual.scale = stats::setNames(found[, 3], rows))
}
