import type { LiveSource } from '../../ui/hooks/use-live-value.ts'

const speeds = [1, 1.5, 2] as const
export type VoiceSpeed = (typeof speeds)[number]

const speedKey = 'voiceSpeed'
const listeners = new Set<() => void>()
/** Where the device cannot keep it, it holds until the page is left. */
const passing: { speed?: VoiceSpeed } = {}

/** How fast voice messages play on this device, all of them. */
export const voiceSpeed: LiveSource<VoiceSpeed> = {
  getSnapshot: () =>
    passing.speed ?? speeds.find((speed) => String(speed) === localStorage.getItem(speedKey)) ?? 1,
  subscribe(listener) {
    // Another tab may have chosen.
    const onStorage = ({ key }: StorageEvent) => key === speedKey && listener()
    addEventListener('storage', onStorage)
    listeners.add(listener)
    return () => {
      removeEventListener('storage', onStorage)
      listeners.delete(listener)
    }
  },
}

/** The next faster one; after the fastest it begins again. */
export function chooseNextVoiceSpeed(): void {
  const next = speeds[(speeds.indexOf(voiceSpeed.getSnapshot()) + 1) % speeds.length] ?? 1
  delete passing.speed
  try {
    localStorage.setItem(speedKey, String(next))
  } catch {
    passing.speed = next
  }
  for (const listener of [...listeners]) listener()
}
