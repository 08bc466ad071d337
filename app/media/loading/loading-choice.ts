import type { LiveSource } from '../../ui/hooks/use-live-value.ts'

const choices = ['always', 'wifi', 'never'] as const
/** When pictures and voice messages come without being asked for. */
export type LoadingChoice = (typeof choices)[number]

const choiceKey = 'mediaLoading'
const listeners = new Set<() => void>()
/** Where the device cannot keep it, it holds until the page is left. */
const passing: { choice?: LoadingChoice } = {}

/** What was chosen on this device; always, where nothing was. */
export const loadingChoice: LiveSource<LoadingChoice> = {
  getSnapshot: () =>
    passing.choice ??
    choices.find((choice) => choice === localStorage.getItem(choiceKey)) ??
    'always',
  subscribe(listener) {
    // Another tab may have chosen.
    const onStorage = ({ key }: StorageEvent) => key === choiceKey && listener()
    addEventListener('storage', onStorage)
    listeners.add(listener)
    return () => {
      removeEventListener('storage', onStorage)
      listeners.delete(listener)
    }
  },
}

/** Takes a choice by its name. */
export function chooseLoading(value: string): void {
  const chosen = choices.find((choice) => choice === value)
  if (!chosen) return
  delete passing.choice
  try {
    localStorage.setItem(choiceKey, chosen)
  } catch {
    passing.choice = chosen
  }
  for (const listener of [...listeners]) listener()
}
