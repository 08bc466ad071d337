import type { LiveSource } from '../../ui/hooks/use-live-value.ts'

const choices = ['always', 'wifi', 'never'] as const
/** When pictures and voice messages load automatically. */
export type LoadingChoice = (typeof choices)[number]

const choiceKey = 'mediaLoading'
const listeners = new Set<() => void>()
/** The choice on a device that cannot store it: lasts until the page closes. */
const passing: { choice?: LoadingChoice } = {}

/** This device's choice; `always` by default. */
export const loadingChoice: LiveSource<LoadingChoice> = {
  getSnapshot: () =>
    passing.choice ??
    choices.find((choice) => choice === localStorage.getItem(choiceKey)) ??
    'always',
  subscribe(listener) {
    // Another tab may have changed it.
    const onStorage = ({ key }: StorageEvent) => key === choiceKey && listener()
    addEventListener('storage', onStorage)
    listeners.add(listener)
    return () => {
      removeEventListener('storage', onStorage)
      listeners.delete(listener)
    }
  },
}

/** Sets the choice by its name. */
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
