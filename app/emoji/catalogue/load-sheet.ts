import { logProblem } from '../../ui/log-problem.ts'
import type { EmojiSheet } from './emoji-styles.ts'

/** The service worker reads this cache: see `pwaOptions`. */
const sheetsCache = 'emoji-sheets'

const loading = new Map<string, Promise<boolean>>()

/**
 * Loads a sheet on its style's first use, and caches it for offline use.
 * @returns false if it cannot be drawn
 */
export function loadSheet({ url }: EmojiSheet): Promise<boolean> {
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
