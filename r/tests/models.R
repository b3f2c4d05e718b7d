# Expected values come from what was put into the rows, or from a second way to ask.
library(postrider)

fails <- function(what, part) {
  message <- tryCatch({ force(what); "nothing failed" }, error = conditionMessage)
  if (!grepl(part, message, fixed = TRUE)) stop("expected '", part, "', not: ", message)
}

set.seed(1)
count <- 400
rows <- data.frame(area = runif(count, 40, 140),
                   side = factor(sample(c("north", "south"), count, TRUE)),
                   garden = sample(c(TRUE, FALSE, NA), count, TRUE),
                   built = as.Date("1990-01-01") + sample(9000, count, TRUE),
                   note = as.character(seq_len(count)))
rows$price <- 2 * rows$area + 30 * (rows$side == "south") + rnorm(count, sd = 5)
rows$area[c(3, 90)] <- NA
rows$price[7] <- NA
# postrider() as if called where this is: weights and subset are not evaluated on the way.
quick <- function(...) {
  call <- sys.call()
  call[[1]] <- quote(postrider)
  if (!"data" %in% names(call)) call$data <- quote(rows)
  for (option in names(few_epochs)) call[[option]] <- few_epochs[[option]]
  eval(call, parent.frame())
}
few_epochs <- list(effort = "quick", max_epochs = 30, hidden = c(16, 16), ensemble_size = 8)
model <- quick(price ~ area + side + garden + built)

# All defaults: there is no option to name.
fails(postrider(price ~ area, data.frame(price = 1:20, area = c(Inf, 2:20))), "\"area\": \"inf\"")

# Predictions by the conventions of predict.lm().
new <- data.frame(area = c(60, 120, NA), side = c("north", "south", "south"), garden = c(TRUE, NA, FALSE),
                  built = as.Date(c("2001-02-03", NA, "1999-01-01")), row.names = c("a", "b", "c"))
fit <- predict(model, new)
stopifnot(identical(names(fit), row.names(new)),
          abs(fit[["a"]] - 120) < 15, abs(fit[["b"]] - 270) < 15)
interval <- predict(model, new, interval = "prediction", level = 0.9)
stopifnot(identical(dimnames(interval), list(row.names(new), c("fit", "lwr", "upr"))),
          identical(interval[, "fit"], fit), all(interval[, "lwr"] < fit), all(fit < interval[, "upr"]))
width <- interval[, "upr"] - interval[, "lwr"]
stopifnot(width[["c"]] > 3 * width[["a"]],  # its area is not known
          all(width < apply(predict(model, new, interval = "prediction", level = 0.99), 1, function(of) of[3] - of[2])))
with_se <- predict(model, new, se.fit = TRUE)
stopifnot(identical(with_se$fit, fit), all(with_se$se.fit > 0), with_se$se.fit[["c"]] > with_se$se.fit[["a"]],
          abs(with_se$residual.scale[["a"]] - 5) < 2.5)
held <- predict(model, rows, interval = "prediction", level = 0.9)
known <- !is.na(rows$price)
share <- mean(held[known, "lwr"] <= rows$price[known] & rows$price[known] <= held[known, "upr"])
stopifnot(share > 0.85, share < 0.97)

# Weights and subsets are evaluated as by lm(): the rows of a subset alone, and no row of another weight.
some <- quick(price ~ area, subset = side == "north")
stopifnot(some$rows == sum(rows$side == "north" & known))
doubled <- quick(price ~ area, data = cbind(rows, w = 2), weights = w)
stopifnot(identical(doubled$columns$column[doubled$columns$kind != "ignored"], "area"), doubled$rows == 2 * sum(known))
fails(quick(price ~ area, data = cbind(rows, w = -1), weights = w), "weight")

# Terms of the formula.
log_model <- quick(log(price) ~ log(area) + `side`)
stopifnot(identical(log_model$columns$column, c("log(area)", "side")),
          abs(exp(predict(log_model, data.frame(area = 100, side = "north"))) - 200) < 25)
fails(quick(price ~ area:side), "area:side")
fails(quick(price ~ area + offset(area)), "offset")

# Classes.
rows$big <- rows$area > 90
classes <- quick(big ~ area + side)
stopifnot(identical(classes$classes, c("FALSE", "TRUE")))
probabilities <- predict(classes, data.frame(area = c(45, 135), side = "south"), type = "prob")
stopifnot(abs(rowSums(probabilities) - 1) < 1e-6, probabilities[1, "TRUE"] < 0.2, probabilities[2, "TRUE"] > 0.8,
          identical(as.character(predict(classes, data.frame(area = c(45, 135), side = "south"))), c("FALSE", "TRUE")))
fails(predict(classes, new, interval = "prediction"), "big")
fails(predict(model, new, type = "prob"), "price")
few <- quick(code ~ area, data = data.frame(area = rows$area, code = rep(0:1, count / 2)))
stopifnot(length(few$classes) == 0)  # numbers are amounts

# Going on: a new model, the old one as it was, rows all or none.
before <- predict(model, new)
learned <- update(model, rows[1:50, ])
stopifnot(learned$rows == model$rows + 49, identical(predict(model, new), before), any(predict(learned, new) != before))
bad <- transform(rows[1:3, ], area = c("60", "much", "70"))
fails(update(model, bad), "area")

# Keeping models: as bytes, and as a file that has no formula.
kept <- tempfile()
saveRDS(model, kept)
stopifnot(identical(predict(readRDS(kept), new), before))
file <- tempfile(fileext = ".safetensors")
save_model(model, file)
again <- load_model(file)
stopifnot(identical(predict(again, new), before), identical(again$columns, model$columns), identical(again$bytes, model$bytes))
predict(load_model({ save_model(log_model, file); file }), data.frame("log(area)" = 4, side = "north", check.names = FALSE))
writeBin(as.raw(1:100), file)
fails(load_model(file), basename(file))
broken <- model
broken$handle <- new.env()
broken$handle$pointer <- NULL
for (size in c(0, 10, 1000, length(model$bytes) - 1)) {
  broken$bytes <- model$bytes[seq_len(size)]
  stopifnot(inherits(try(predict(broken, new), silent = TRUE), "try-error"))
}

# What is wrong is said with the column's name.
fails(predict(model, new[, c("area", "side", "garden")]), "\"built\"")
fails(predict(again, new[, c("area", "side", "garden")]), "\"built\"")
fails(predict(model, transform(new, area = c("1", "wide", "3"))), "\"area\": \"wide\"")
fails(quick(price ~ z, data = data.frame(price = 1:9, z = complex(9))), "\"z\"")
fails(quick(price ~ area, epochs = 3), "epochs")
fails(quick(price ~ area, power = -1), "power = -1")
fails(postrider(price ~ area, rows, , , "quick"), "named")
fails(quick(~ area), "target")
fails(predict(model), "newdata")
fails(quick(price ~ area, data = transform(rows, area = c(Inf, area[-1]))), "area")

# What is shown.
shown <- capture.output(print(summary(model)))
stopifnot(any(grepl("399 rows learned", shown)), any(grepl("built +date", shown)), any(grepl("side +categorical", shown)),
          any(grepl("log-likelihood", shown)))
pdf(NULL)
drawn <- plot(model, rows)
stopifnot(nrow(drawn) == count, identical(drawn$along, drawn$fit), !is.unsorted(drawn$along))
stopifnot(identical(names(plot(some, rows))[1], "along"), max(plot(some, rows)$along, na.rm = TRUE) == max(rows$area, na.rm = TRUE))
reliability <- plot(classes, rows)
stopifnot(sum(reliability$rows) == 2 * count, all(reliability$share >= 0 & reliability$share <= 1, na.rm = TRUE))
invisible(dev.off())
