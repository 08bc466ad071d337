import { readSettings, type Settings } from '../../../schema/settings.ts'
import { type LiveSource, useLivePart } from './use-live-value.ts'
import { useMediaQuery } from './use-media-query.ts'

/** Where the messenger keeps them as a text, readable before its database opens. */
const key = 'userSettings'
const listeners = new Set<() => void>()
let now: Settings | undefined

/** The person's settings as this page last knew them: at the start the kept text, then the messenger's. */
export const keptSettings: LiveSource<Settings> = {
  getSnapshot() {
    now ??= readSettings(readKept())
    return now
  },
  subscribe(listener) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** Shows these from now on; without any, the defaults of somebody who is not signed in. */
export function showSettings(settings: Settings = readSettings({})): void {
  if (settings === now) return
  now = settings
  for (const listener of [...listeners]) listener()
}

function readKept(): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}')
  } catch {
    return {}
  }
}

/** Does Enter send a message here? Left to the device, it does where there is a keyboard. */
export function useSendsOnEnter(): boolean {
  const choice = useLivePart(keptSettings, (settings) => settings.enterSends)
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  return choice === 'auto' ? hasKeyboard : choice === 'always'
}
