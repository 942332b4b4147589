hooks = []


def register_optimizer_step_post_hook(hook):
    hooks.append(hook)


class Optimizer:
    def step(self):
        for hook in hooks:
            if hook(self, (), {}) is not None:
                raise AssertionError("a hook that returns something")


class SGD(Optimizer):
    pass


class AdamW(Optimizer):
    pass
