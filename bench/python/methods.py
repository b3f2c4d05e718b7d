"""One regression task, written with each library as its own examples write it.

Each function is a user's whole program between the data and the predictions: the comparison counts the lines of
its body. What the user had to choose stands as keyword-only arguments, which are counted, too. All return the mean
and the deviation of new observations; a third element, where a method has one, is its own interval of 90 %.
"""


def postrider(inputs, targets, new, seed):
    from postrider import BayesianMLPRegressor
    model = BayesianMLPRegressor(random_state=seed).fit(inputs, targets)
    mean, deviation = model.predict(new, return_std=True)
    return mean, deviation, model.predict_interval(new, 0.9)


def bayesian_ridge(inputs, targets, new, seed):
    from sklearn.linear_model import BayesianRidge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    model = make_pipeline(StandardScaler(), BayesianRidge()).fit(inputs, targets)
    return model.predict(new, return_std=True)


def gaussian_process(inputs, targets, new, seed, *, nu=2.5, restarts=1, normalised=True):
    from numpy import ones
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    kernel = ConstantKernel() * Matern(ones(inputs.shape[1]), nu=nu) + WhiteKernel()
    process = GaussianProcessRegressor(kernel, normalize_y=normalised, n_restarts_optimizer=restarts, random_state=seed)
    model = make_pipeline(StandardScaler(), process).fit(inputs, targets)
    return model.predict(new, return_std=True)


def mlp(inputs, targets, new, seed, *, hidden=(50, 50), penalty=1.0, epochs=500, folds=5):
    from numpy import full
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.model_selection import cross_val_predict
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    network = MLPRegressor(hidden_layer_sizes=hidden, alpha=penalty, max_iter=epochs, random_state=seed)
    model = make_pipeline(StandardScaler(), TransformedTargetRegressor(network, transformer=StandardScaler()))
    residuals = targets - cross_val_predict(model, inputs, targets, cv=folds)
    model.fit(inputs, targets)
    return model.predict(new), full(len(new), residuals.std())


def ngboost(inputs, targets, new, seed, *, trees=2000, validation_share=0.1, patience=50):
    from ngboost import NGBRegressor
    model = NGBRegressor(n_estimators=trees, validation_fraction=validation_share, early_stopping_rounds=patience,
                         verbose=False, random_state=seed).fit(inputs, targets)
    distribution = model.pred_dist(new)
    return distribution.loc, distribution.scale


def laplace(inputs, targets, new, seed, *, units=50, batch=32, rate=1e-2, epochs=200, structure="full",
            prior="scalar", burn_in=20, tuned_every=20):
    import torch
    from laplace import marglik_training
    from laplace.curvature import CurvlinopsGGN
    from sklearn.preprocessing import StandardScaler
    from torch.utils.data import DataLoader, TensorDataset
    torch.manual_seed(seed)
    x_scaler, y_scaler = StandardScaler().fit(inputs), StandardScaler().fit(targets[:, None])
    x = torch.tensor(x_scaler.transform(inputs), dtype=torch.float32)
    y = torch.tensor(y_scaler.transform(targets[:, None]), dtype=torch.float32)
    loader = DataLoader(TensorDataset(x, y), batch_size=batch, shuffle=True)
    network = torch.nn.Sequential(torch.nn.Linear(x.shape[1], units), torch.nn.Tanh(), torch.nn.Linear(units, 1))
    posterior, *_ = marglik_training(network, loader, "regression", structure, CurvlinopsGGN,
                                     optimizer_kwargs={"lr": rate}, n_epochs=epochs, prior_structure=prior,
                                     n_epochs_burnin=burn_in, marglik_frequency=tuned_every)
    mean, variance = posterior(torch.tensor(x_scaler.transform(new), dtype=torch.float32))
    deviation = (variance.flatten() + posterior.sigma_noise.item() ** 2).sqrt().detach().numpy()
    return y_scaler.inverse_transform(mean.detach().numpy())[:, 0], deviation * y_scaler.scale_[0]


def ivon(inputs, targets, new, seed, *, units=50, batch=32, rate=1e-2, hessian=1.0, decay=1e-3, epochs=200,
         samples=64):
    import ivon as optimisers
    import torch
    from sklearn.preprocessing import StandardScaler
    from torch.utils.data import DataLoader, TensorDataset
    torch.manual_seed(seed)
    x_scaler, y_scaler = StandardScaler().fit(inputs), StandardScaler().fit(targets[:, None])
    x = torch.tensor(x_scaler.transform(inputs), dtype=torch.float32)
    y = torch.tensor(y_scaler.transform(targets[:, None]), dtype=torch.float32)
    loader = DataLoader(TensorDataset(x, y), batch_size=batch, shuffle=True)
    network = torch.nn.Sequential(torch.nn.Linear(x.shape[1], units), torch.nn.ReLU(), torch.nn.Linear(units, 2))
    optimizer = optimisers.IVON(network.parameters(), lr=rate, ess=len(x), hess_init=hessian, weight_decay=decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for _ in range(epochs):
        for some_x, some_y in loader:
            with optimizer.sampled_params(train=True):
                optimizer.zero_grad()
                mean, log_deviation = network(some_x).split(1, dim=1)
                loss = torch.nn.functional.gaussian_nll_loss(mean, some_y, (2 * log_deviation).exp())
                loss.backward()
            optimizer.step()
        schedule.step()
    means, variances = [], []
    for _ in range(samples):
        with torch.no_grad(), optimizer.sampled_params():
            mean, log_deviation = network(torch.tensor(x_scaler.transform(new), dtype=torch.float32)).T
            means.append(mean)
            variances.append((2 * log_deviation).exp())
    means, variances = torch.stack(means), torch.stack(variances)
    deviation = (variances.mean(0) + means.var(0)).sqrt().numpy()
    return y_scaler.inverse_transform(means.mean(0).numpy()[:, None])[:, 0], deviation * y_scaler.scale_[0]


METHODS = {
    "Postrider": (postrider, "postrider"),
    "BayesianRidge": (bayesian_ridge, "scikit-learn"),
    "GaussianProcessRegressor": (gaussian_process, "scikit-learn"),
    "MLPRegressor": (mlp, "scikit-learn"),
    "NGBoost": (ngboost, "ngboost"),
    "Laplace": (laplace, "laplace-torch"),
    "IVON": (ivon, "ivon-opt"),
}
