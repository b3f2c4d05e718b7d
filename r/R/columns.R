# Columns of data frames as the library takes them: numbers, or texts as a file would have them.

# As in the C interface.
KIND <- c(inferred = 0L, numeric = 1L, categorical = 2L, ignored = 3L, weights = 4L)

# What a column is, where its class says it; numbers, texts and dates are looked at by the library, by its rules for files.
kind_of <- function(column) {
  if (is.factor(column) || is.logical(column)) KIND[["categorical"]] else KIND[["inferred"]]
}

# A target of numbers is an amount, also if they are few; one of texts has classes.
kind_of_target <- function(column) {
  if (is.numeric(column) && !is.factor(column)) KIND[["numeric"]] else KIND[["categorical"]]
}

# Numbers or texts of a column; NA is missing.
cells_of <- function(column, name) {
  if (!is.null(dim(column)) && length(dim(column)) > 1)
    stop(sprintf("column \"%s\" is a matrix: must be a vector", name), call. = FALSE)
  if (is.factor(column)) return(as.character(column))
  if (inherits(column, "Date")) return(format(column, "%Y-%m-%d"))
  if (inherits(column, "POSIXt")) return(format(column, "%Y-%m-%d %H:%M:%S"))
  if (is.logical(column) || is.character(column)) return(as.character(column))
  if (is.numeric(column)) return(as.double(column))
  stop(sprintf("column \"%s\" is of class \"%s\": must hold numbers, texts, factors, logicals or dates",
               name, class(column)[1]), call. = FALSE)
}

# A name or a call as it stands in the formula, without the backticks that R puts around names of other characters.
plain_name <- function(name) sub("^`(.*)`$", "\\1", name)

# The model frame of a formula, rows with missing cells included, as a list of columns with their names.
framed_columns <- function(frame) {
  names <- plain_name(names(frame))
  columns <- lapply(seq_along(frame), function(place) cells_of(frame[[place]], names[place]))
  names(columns) <- names
  columns
}

expect_plain_terms <- function(terms) {
  crossed <- attr(terms, "term.labels")[attr(terms, "order") > 1]
  if (length(crossed) > 0)
    stop(sprintf("the term \"%s\" is an interaction: write the columns with +, networks learn interactions by themselves",
                 crossed[1]), call. = FALSE)
  if (!is.null(attr(terms, "offset")))
    stop("an offset is not supported: subtract it from the target", call. = FALSE)
}

# Options of the library are given as text: flags as yes and no, lists with commas.
option_text <- function(value, name) {
  if (is.logical(value) && length(value) == 1 && !is.na(value)) return(if (value) "yes" else "no")
  if (is.character(value) && length(value) == 1) return(value)
  if (is.numeric(value) && length(value) > 0 && !anyNA(value)) {
    whole <- value == floor(value) & abs(value) < 2^53
    return(paste(ifelse(whole, sprintf("%.0f", value), sprintf("%.17g", value)), collapse = ","))
  }
  stop(sprintf("option \"%s\": must be a number, numbers, a text, TRUE or FALSE", name), call. = FALSE)
}

option_texts <- function(options) {
  if (length(options) == 0) return(stats::setNames(character(), character()))
  if (is.null(names(options)) || any(names(options) == ""))
    stop("options must be named, as in postrider(y ~ x, data, max_epochs = 50)", call. = FALSE)
  mapply(option_text, options, names(options))
}
