\echo Use "CREATE EXTENSION postrider" to load this file. \quit

CREATE TABLE postrider_models (
  name text PRIMARY KEY CHECK (name <> '' AND name NOT LIKE 'file:%'),
  model bytea NOT NULL,
  query text,
  changed timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE postrider_models IS 'Models by name: the bytes of their files. Whoever may read a row may predict with it.';
SELECT pg_catalog.pg_extension_config_dump('postrider_models', '');

CREATE TYPE postrider_prediction AS (
  mean double precision, std double precision, low double precision, high double precision
);
CREATE TYPE postrider_class AS (class text, probability double precision);

CREATE FUNCTION postrider_predict(model text, "row" record, level double precision DEFAULT 0.9)
RETURNS postrider_prediction AS 'MODULE_PATHNAME', 'predict_row' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION postrider_predict(text, record, double precision) IS
  'the mean of a numeric target, the standard deviation of a new observation, and the interval that holds it with this probability';

CREATE FUNCTION postrider_classify(model text, "row" record)
RETURNS postrider_class AS 'MODULE_PATHNAME', 'classify_row' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION postrider_classify(text, record) IS 'the most probable class of a row, and its probability';

CREATE FUNCTION postrider_probability(model text, "row" record, class text)
RETURNS double precision AS 'MODULE_PATHNAME', 'probability_of_row' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION postrider_probability(text, record, text) IS 'the probability of a class';

CREATE FUNCTION postrider_fit(query text, target text, options jsonb DEFAULT '{}')
RETURNS bytea AS 'MODULE_PATHNAME', 'fit_query' LANGUAGE C VOLATILE STRICT;
COMMENT ON FUNCTION postrider_fit(text, text, jsonb) IS
  'the bytes of a model that has learned the rows of a query; options are those of training, by their names';

CREATE FUNCTION postrider_learn(model bytea, query text)
RETURNS bytea AS 'MODULE_PATHNAME', 'learn_query' LANGUAGE C VOLATILE STRICT;
COMMENT ON FUNCTION postrider_learn(bytea, text) IS 'the bytes of the model after it has learned the rows of a query, each once';

CREATE FUNCTION postrider_rows(model bytea)
RETURNS bigint AS 'MODULE_PATHNAME', 'rows_of_model' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION postrider_rows(bytea) IS 'how many rows the model has learned';

CREATE FUNCTION postrider_train(model text, query text, target text, options jsonb DEFAULT '{}')
RETURNS bigint LANGUAGE sql VOLATILE STRICT AS $$
  INSERT INTO @extschema@.postrider_models AS kept (name, model, query)
  VALUES ($1, @extschema@.postrider_fit($2, $3, $4), $2)
  ON CONFLICT (name) DO UPDATE SET model = excluded.model, query = excluded.query, changed = now()
  RETURNING @extschema@.postrider_rows(kept.model)
$$;
COMMENT ON FUNCTION postrider_train(text, text, text, jsonb) IS
  'learns the rows of a query and keeps the model under this name, in place of one that is there; returns the number of rows learned';

CREATE FUNCTION postrider_update(model text, query text)
RETURNS bigint LANGUAGE sql VOLATILE STRICT AS $$
  UPDATE @extschema@.postrider_models AS kept
  SET model = @extschema@.postrider_learn(kept.model, $2), changed = now()
  WHERE kept.name = $1
  RETURNING @extschema@.postrider_rows(kept.model)
$$;
COMMENT ON FUNCTION postrider_update(text, text) IS
  'lets a kept model learn the rows of a query, each once; returns the number of rows learned so far, or null if there is no such model';
