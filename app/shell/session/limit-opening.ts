import type { Messenger } from '../../sync/messenger-types.ts'

/** Opening normally takes about a second. */
const openMs = 15_000
const heldWords =
  'This is taking too long. Another tab may be holding on to your messages. Close the other tabs of Petrel, then try again.'
const blockedWords =
  "Petrel couldn't use this browser's storage. Allow site data for this page, or free up some space, then try again."

/** @throws with words for a person when this device's messages do not open, or not in time */
export async function limitOpening(
  opening: Promise<Messenger>,
  limitMs = openMs,
): Promise<Messenger> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs)
  })
  const opened = opening.catch((cause: unknown) => {
    throw new Error(blockedWords, { cause })
  })
  const outcome = await Promise.race([opened, late]).finally(() => clearTimeout(timer))
  if (outcome !== 'late') return outcome
  opened.then((messenger) => messenger.close()).catch(() => {})
  throw new Error(heldWords)
}
