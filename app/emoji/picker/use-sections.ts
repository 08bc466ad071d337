import { useEffect, useMemo, useState } from 'react'
import type { EmojiData, EmojiEntry } from '../catalogue/emoji-data.ts'
import type { EmojiSettings } from '../catalogue/emoji-settings.ts'
import { findNativeSupport } from '../catalogue/find-native-version.ts'
import { type CanDraw, type EmojiSection, listSections, offer } from '../catalogue/list-sections.ts'
import { readRecentEmoji } from '../catalogue/recent-emoji.ts'
import { searchEmoji } from '../catalogue/search-emoji.ts'

/** A country's flag is two regional indicator letters. */
const countryFlag = /^1f1(?:e[6-9a-f]|f[0-9a-f])-/

/** The picker's sections: all, or the search results. */
export function useSections(
  data: EmojiData,
  { style, skinTone, suggestedMode }: EmojiSettings,
  typed: string,
): { sections: readonly EmojiSection[]; isSearch: boolean } {
  // Read once per opening: picking does not move the other emoji meanwhile.
  const [recent] = useState(() => readRecentEmoji(suggestedMode))
  const canDraw = useMemo(() => (style === 'native' ? canDeviceDraw() : () => true), [style])
  const all = useMemo(
    () => listSections(data, { recent, suggestedMode, skinTone, canDraw }),
    [data, recent, suggestedMode, skinTone, canDraw],
  )
  const [found, setFound] = useState<readonly EmojiEntry[]>()
  useEffect(() => {
    let isWanted = true
    void searchEmoji(data, typed).then((emojis) => isWanted && setFound(emojis))
    return () => {
      isWanted = false
    }
  }, [data, typed])
  const drawn = useMemo((): EmojiSection[] | undefined => {
    const emojis = found?.filter((emoji) => canDraw(emoji))
    if (!emojis) return undefined
    const offered = offer(emojis, skinTone)
    return offered.length > 0 ? [{ id: 'found', name: 'Search Results', offered }] : []
  }, [found, skinTone, canDraw])
  return { sections: drawn ?? all, isSearch: drawn !== undefined }
}

function canDeviceDraw(): CanDraw {
  const { newestVersion, hasCountryFlags } = findNativeSupport()
  return ({ version, skins }) =>
    version <= newestVersion && (hasCountryFlags || !countryFlag.test(skins[0]?.unified ?? ''))
}
