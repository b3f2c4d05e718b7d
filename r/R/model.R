# Models: an object holds the bytes of the model file, and a pointer that is made of them when it is needed.
# So saveRDS(), workspaces and parallel workers keep models whole.

new_model <- function(pointer, terms = NULL, call = NULL) {
  about <- .Call(c_describe, pointer)
  handle <- new.env(parent = emptyenv())
  handle$pointer <- pointer
  structure(list(call = call, terms = terms, target = about$columns[about$target],
                 columns = data.frame(column = about$columns, kind = about$kinds,
                                      stringsAsFactors = FALSE)[-about$target, ],
                 classes = about$classes, rows = about$rows,
                 score = c(log_likelihood = about$score[1], standard_error = about$score[2]),
                 place = about$target, bytes = .Call(c_save_bytes, pointer), handle = handle),
            class = "postrider")
}

pointer_of <- function(model) {
  if (!.Call(c_is_loaded, model$handle$pointer)) model$handle$pointer <- .Call(c_load_bytes, model$bytes)
  model$handle$pointer
}

postrider <- function(formula, data, weights, subset, ...) {
  call <- match.call()
  if (missing(formula) || !inherits(formula <- as.formula(formula), "formula") || length(formula) != 3)
    stop("formula must have a target and columns, as in price ~ area + side or price ~ .")
  # As lm() evaluates: columns, weights and subset within the data.
  kept <- match(c("formula", "data", "subset", "weights"), names(call), 0L)
  asked <- call[c(1L, kept)]
  asked[[1L]] <- quote(stats::model.frame)
  asked$na.action <- quote(stats::na.pass)
  frame <- eval(asked, parent.frame())
  terms <- attr(frame, "terms")
  expect_plain_terms(terms)

  weights <- model.weights(frame)
  inputs <- frame[match(attr(terms, "term.labels"), names(frame))]
  response <- model.response(frame)
  target <- plain_name(names(frame)[attr(terms, "response")])
  columns <- c(framed_columns(inputs), framed_columns(stats::setNames(list(response), target)))
  kinds <- c(vapply(inputs, kind_of, 0L), kind_of_target(response))
  if (!is.null(weights)) {
    columns[["(weights)"]] <- as.double(weights)
    kinds <- c(kinds, KIND[["weights"]])
  }
  options <- option_texts(list(...))
  pointer <- .Call(c_train, unname(columns), names(columns), as.integer(kinds), target,
                   names(options), unname(options))
  attr(terms, ".Environment") <- environment(formula)
  new_model(pointer, terms, call)
}

# The columns of the model in its order, from rows that the user has; the target's are missing unless they are wanted.
columns_of <- function(model, newdata, with_target = FALSE) {
  if (!is.data.frame(newdata)) stop("newdata must be a data frame", call. = FALSE)
  names <- append(model$columns$column, model$target, model$place - 1)
  if (is.null(model$terms)) {
    given <- framed_columns(newdata)
  } else {
    terms <- if (with_target) model$terms else delete.response(model$terms)
    lacking <- setdiff(all.vars(terms), names(newdata))
    lacking <- lacking[!vapply(lacking, exists, NA, envir = environment(model$terms))]
    if (length(lacking) > 0)
      stop(sprintf("newdata lacks the column \"%s\"", lacking[1]), call. = FALSE)
    given <- framed_columns(model.frame(terms, newdata, na.action = stats::na.pass))
  }
  wanted <- setdiff(names, if (!with_target) model$target)
  needed <- setdiff(wanted, model$columns$column[model$columns$kind == "ignored"])
  lacking <- setdiff(needed, names(given))
  if (length(lacking) > 0) stop(sprintf("newdata lacks the column \"%s\"", lacking[1]), call. = FALSE)
  given <- given[intersect(wanted, names(given))]
  stats::setNames(lapply(names, function(name) given[[name]]), names)
}

update.postrider <- function(object, newdata, ...) {
  if (missing(newdata)) stop("newdata must hold the new rows, with their targets", call. = FALSE)
  pointer <- .Call(c_load_bytes, object$bytes)
  .Call(c_learn, pointer, unname(columns_of(object, newdata, with_target = TRUE)))
  new_model(pointer, object$terms, object$call)
}

save_model <- function(model, file) {
  if (!inherits(model, "postrider")) stop("model must be made by postrider() or load_model()")
  .Call(c_save_file, pointer_of(model), file)
  invisible(model)
}

load_model <- function(file) new_model(.Call(c_load_file, file))
