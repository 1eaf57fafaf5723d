"""Every fault of the table, streamed and whole, against a server over real sockets with the openai package."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from antigravity_proxy.simulator.scenarios import KINDS

from .conftest import clear_environment
from .fault_lab import FaultLab, open_fault_lab
from .faults import FAULTS, Fault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

STREAM = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def patient(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FaultLab]:
    """One server for all faults that are no matter of time."""
    with pytest.MonkeyPatch.context() as patch:
        clear_environment(patch)
        async with open_fault_lab(tmp_path_factory.mktemp("patient"), is_slow=False) as lab:
            yield lab


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def impatient(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FaultLab]:
    """One server with short time limits for the others."""
    with pytest.MonkeyPatch.context() as patch:
        clear_environment(patch)
        async with open_fault_lab(tmp_path_factory.mktemp("impatient"), is_slow=True) as lab:
            yield lab


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("fault", FAULTS, ids=[fault.id for fault in FAULTS])
@STREAM
async def test_fault_is_survived(patient: FaultLab, impatient: FaultLab, fault: Fault, *, stream: bool) -> None:
    """The client sees what the table says, in time and no text twice; nothing is left, and the next one is served."""
    lab = impatient if fault.is_slow else patient
    _, *troubles = await lab.run(fault, stream=stream)
    assert troubles == []


def test_every_scenario_is_in_the_table() -> None:
    """There is no way in which the simulator can fail that is not tried."""
    planned = {plan["name"] for fault in FAULTS for plan in fault.plans}
    assert planned == KINDS.keys()


def test_faults_have_names_of_their_own() -> None:
    """No fault hides another one."""
    assert len({fault.id for fault in FAULTS}) == len(FAULTS)
