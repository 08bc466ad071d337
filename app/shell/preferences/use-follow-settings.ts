import { useEffect } from 'react'
import { readSettings, type Settings } from '../../../schema/settings.ts'
import { changeEmojiSettings, emojiSettings } from '../../emoji/catalogue/emoji-settings.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { showSettings } from '../../ui/hooks/kept-settings.ts'

const earlierKeys = { theme: 'theme', loadPictures: 'mediaLoading' } as const
const adoptedKey = 'petrel-settings-adopted'

/** Shows the person's settings, and their changes from any device, until they sign out. */
export function useFollowSettings({ settings }: Pick<Messenger, 'settings'>): void {
  useEffect(() => {
    const show = () => {
      const values = settings.values.getSnapshot()
      showSettings(values)
      const style = values.emojiStyle
      if (style !== emojiSettings.getSnapshot().style) changeEmojiSettings({ style })
    }
    const earlier = takeEarlierChoices(settings.values.getSnapshot())
    if (earlier) void settings.set(earlier).then(show, () => {})
    else show()
    const unsubscribe = settings.values.subscribe(show)
    return () => {
      unsubscribe()
      showSettings()
    }
  }, [settings])
}

/** What this device was set to before settings followed the person, once. */
function takeEarlierChoices(values: Settings): Partial<Settings> | undefined {
  try {
    if (localStorage.getItem(adoptedKey) !== null) return undefined
    localStorage.setItem(adoptedKey, 'yes')
    const initial = readSettings({})
    const chosen: Record<string, unknown> = { emojiStyle: emojiSettings.getSnapshot().style }
    for (const [name, key] of Object.entries(earlierKeys)) {
      chosen[name] = localStorage.getItem(key) ?? undefined
      localStorage.removeItem(key)
    }
    const read = readSettings(chosen)
    const names = (['theme', 'loadPictures', 'emojiStyle'] as const).filter(
      (name) => read[name] !== initial[name] && values[name] === initial[name],
    )
    if (names.length === 0) return undefined
    return Object.fromEntries(names.map((name) => [name, read[name]]))
  } catch {
    return undefined
  }
}
