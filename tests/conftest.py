"""Property tests judge behaviour, never how fast a busy machine makes their inputs."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("granum", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("granum")
