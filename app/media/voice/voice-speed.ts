import type { LiveSource } from '../../ui/hooks/use-live-value.ts'

const speeds = [1, 1.5, 2] as const
export type VoiceSpeed = (typeof speeds)[number]

const speedKey = 'voiceSpeed'
const listeners = new Set<() => void>()
/** The speed on a device that cannot store it: lasts until the page closes. */
const passing: { speed?: VoiceSpeed } = {}

/** The playback speed of all voice messages on this device. */
export const voiceSpeed: LiveSource<VoiceSpeed> = {
  getSnapshot: () =>
    passing.speed ?? speeds.find((speed) => String(speed) === localStorage.getItem(speedKey)) ?? 1,
  subscribe(listener) {
    // Another tab may have changed it.
    const onStorage = ({ key }: StorageEvent) => key === speedKey && listener()
    addEventListener('storage', onStorage)
    listeners.add(listener)
    return () => {
      removeEventListener('storage', onStorage)
      listeners.delete(listener)
    }
  },
}

/** Chooses the next faster speed; wraps after the fastest. */
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
