import type { ScannedDevice } from '../../../schema/api/device-link.ts'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import { isPassing } from '../../api/is-passing.ts'
import type { LinkingCalls } from '../../api/linking-calls.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import { createBackOff } from '../../sync/platform/back-off.ts'

export type ScanState =
  | { kind: 'checking' }
  /** `problem`: why the last answer did not reach the server. */
  | { kind: 'asks'; device: ScannedDevice; isBusy: boolean; problem?: string }
  | { kind: 'confirmed'; device: ScannedDevice }
  | { kind: 'done'; device: ScannedDevice }
  | { kind: 'declined' }
  | { kind: 'ended'; words: string }

export interface Scan {
  state: LiveValue<ScanState>
  decide(isAllowed: boolean): void
  /** Tries at once what failed. */
  hurry(): void
  close(): void
}

/** A device whose code this person scanned: shows which one it is, and follows it to its end. */
export function createScan(options: {
  calls: Pick<LinkingCalls, 'scan' | 'watch' | 'decide'>
  id: string
}): Scan {
  const { calls, id } = options
  const state = createLiveValue<ScanState>({ kind: 'checking' })
  const backOff = createBackOff({ random: Math.random })
  const run = new AbortController()
  const { signal } = run

  function show(device: ScannedDevice) {
    const now = state.getSnapshot()
    if (device.state === 'done') state.set({ kind: 'done', device })
    else if (device.state === 'approved') state.set({ kind: 'confirmed', device })
    else if (now.kind === 'asks') state.set({ ...now, device })
    else state.set({ kind: 'asks', device, isBusy: false })
  }

  /** Repeats the call while nothing but the network keeps it from an answer. */
  async function ask(call: () => Promise<ScannedDevice>): Promise<ScannedDevice> {
    for (;;) {
      const attempt = await backOff.begin(signal)
      try {
        const device = await call()
        signal.throwIfAborted()
        backOff.succeed()
        return device
      } catch (cause) {
        signal.throwIfAborted()
        if (!isPassing(cause)) throw cause
        backOff.fail(attempt)
      }
    }
  }

  async function follow() {
    let device = await ask(() => calls.scan(id, { signal }))
    show(device)
    while (device.state !== 'done') {
      const { state: seen } = device
      device = await ask(() => calls.watch({ id, seen }, { signal }))
      show(device)
    }
  }

  function end(cause: unknown) {
    if (signal.aborted || state.getSnapshot().kind === 'declined') return
    state.set({ kind: 'ended', words: wordsOf(cause) })
  }

  async function decide(isAllowed: boolean) {
    const before = state.getSnapshot()
    if (before.kind !== 'asks' || before.isBusy) return
    state.set({ kind: 'asks', device: before.device, isBusy: true })
    try {
      await calls.decide({ id, isAllowed })
      if (!isAllowed) return state.set({ kind: 'declined' })
      const now = state.getSnapshot()
      // The device may have been quicker.
      if (now.kind === 'asks') state.set({ kind: 'confirmed', device: now.device })
    } catch (cause) {
      const { device } = before
      const isOpen = state.getSnapshot().kind === 'asks'
      if (!isOpen) return
      if (!isPassing(cause)) return end(cause)
      state.set({ kind: 'asks', device, isBusy: false, problem: wordsOf(cause) })
    }
  }

  follow().catch(end)
  return {
    state,
    decide: (isAllowed) => void decide(isAllowed),
    hurry: backOff.hurry,
    close() {
      run.abort()
      backOff.close()
    },
  }
}
