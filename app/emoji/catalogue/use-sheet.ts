import { useEffect, useState } from 'react'
import { type EmojiSheet, type EmojiStyle, findSheet } from './emoji-styles.ts'
import { loadSheet } from './load-sheet.ts'

/** A style's sheet once loaded; until then, or if loading fails, this device's own font draws. */
export function useSheet(style: EmojiStyle): EmojiSheet | undefined {
  const [loaded, setLoaded] = useState<EmojiSheet>()
  const sheet = findSheet(style)
  useEffect(() => {
    if (!sheet) return
    let isWanted = true
    void loadSheet(sheet).then((isLoaded) => isWanted && setLoaded(isLoaded ? sheet : undefined))
    return () => {
      isWanted = false
    }
  }, [sheet])
  return loaded === sheet ? sheet : undefined
}
