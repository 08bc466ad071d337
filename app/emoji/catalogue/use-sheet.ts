import { useEffect, useState } from 'react'
import { logProblem } from '../../ui/product.ts'
import { type EmojiSheet, type EmojiStyle, findSheet } from './emoji-styles.ts'

/** The service worker reads this cache: see `pwaOptions`. */
const sheetsCache = 'emoji-sheets'

const loading = new Map<string, Promise<boolean>>()

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

/**
 * Loads a sheet on its style's first use, and caches it for offline use.
 * @returns false if it cannot be drawn
 */
function loadSheet({ url }: EmojiSheet): Promise<boolean> {
  const known = loading.get(url)
  if (known !== undefined) return known
  const isLoaded = load(url).catch((error: unknown) => {
    loading.delete(url)
    logProblem('The emoji pictures could not be loaded', error)
    return false
  })
  loading.set(url, isLoaded)
  return isLoaded
}

async function load(url: string): Promise<boolean> {
  await keep(url).catch(() => {})
  const image = new Image()
  image.src = url
  await image.decode()
  return true
}

/** Also caches it in a page that no service worker controls yet. */
async function keep(url: string): Promise<void> {
  const cache = await caches.open(sheetsCache)
  if (!(await cache.match(url))) await cache.add(url)
}
