import { fingerprintFiles } from '../encryption/app-fingerprint.ts'

/** Written by the build: the paths of all that runs, a line each. */
const listPath = 'files.txt'

/**
 * The fingerprint of the app as this device has it: the service worker answers for its files, also
 * offline. The worker's own script is not among them: whoever changes that decides the answers.
 * @throws with words for a person
 */
export async function readAppFingerprint(): Promise<string> {
  const list = new TextDecoder().decode(await readFile(listPath))
  const paths = list.split('\n').filter((path) => path !== '')
  // Any address that a server without a build does not know gets the page.
  if (!paths.includes('index.html')) throw new Error("This app wasn't built, so it has none.")
  const files = paths.map(async (path) => ({ path, bytes: await readFile(path) }))
  return fingerprintFiles(await Promise.all(files))
}

async function readFile(path: string): Promise<Uint8Array> {
  const response = await fetch(`/${path}`).catch(() => undefined)
  if (!response?.ok) throw new Error("Couldn't read the app's files. Try again when you're online.")
  return new Uint8Array(await response.arrayBuffer())
}
