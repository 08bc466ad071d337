import type { Emulation } from '../state/emulation.ts'
import type { Customer } from '../state/emulator-state.ts'
import { GraphFault } from '../wire/graph-fault.ts'
import type { Script } from './scripts.ts'

/** @throws GraphFault that a scripted recipient provokes, as often or as long as its script says */
export function refuseByScript(
  { state, clock }: Emulation,
  { digits }: Customer,
  { refuse }: Script,
) {
  if (!refuse) return
  const met = state.refusals.get(digits) ?? { count: 0, since: clock.now() }
  state.refusals.set(digits, { ...met, count: met.count + 1 })
  if (refuse.times !== undefined && met.count >= refuse.times) return
  if (refuse.forMs !== undefined && clock.now() - met.since >= refuse.forMs) return
  throw new GraphFault(refuse.code, {
    ...(refuse.isTransient !== undefined && { isTransient: refuse.isTransient }),
    ...(refuse.isDataBare && { isDataBare: true, details: 'Parameter value is not valid' }),
  })
}
