import type { SignedIn } from '../../../schema/api/auth.ts'
import { createApi } from '../../api/api.ts'
import { createSessionStore } from '../../api/session-store.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { createServerView, type ServerView } from '../server/server-view.ts'
import { createLabDevice, type DeviceOptions } from './lab-device.ts'
import type { LabDevice } from './lab-device-types.ts'
import type { Witness } from './witness.ts'

/** A person with an account and any number of devices. */
export interface LabPerson {
  readonly name: string
  readonly userId: string
  readonly devices: readonly LabDevice[]
  /** A separate token, for tests that talk to the server like a stranger's program. */
  readonly token: string
  /** The server's data of this person, read without faults. */
  readonly server: ServerView
  /**
   * @param options.clockAheadMs how wrong its clock is, in ms
   * @param options.line the slowest tolerated line, when stricter than in the product
   * @param options.fill fills its empty IndexedDB before its first start
   */
  device(
    options?: Partial<Pick<DeviceOptions, 'clockAheadMs' | 'line' | 'fill'>>,
  ): Promise<LabDevice>
}

export async function createLabPerson(options: {
  name: string
  /** Does the server have this person's account? */
  isKnown: boolean
  serverUrl: () => string
  dataDir: string
  random: () => number
  witness: Witness
  onError: (cause: unknown) => void
}): Promise<LabPerson> {
  const { name, serverUrl, dataDir, random, witness, onError } = options
  const password = `${name}'s password`
  const account = { username: name, email: `${name}@example.org`, password }
  const devices: LabDevice[] = []

  function callApi(fetch: typeof globalThis.fetch) {
    const sessions = createSessionStore({
      kept: createKeyValueStorage(),
      passing: createKeyValueStorage(),
    })
    return createApi({ serverUrl: serverUrl(), fetch, sessions }).auth
  }
  const signIn = (fetch: typeof globalThis.fetch): Promise<SignedIn> =>
    callApi(fetch).login({ username: name, password })

  async function endSignIn(token: string) {
    const headers = { authorization: `Bearer ${token}` }
    await fetch(`${serverUrl()}/api/auth/logout`, { method: 'POST', headers })
  }

  const { user, token } = options.isKnown
    ? await signIn(fetch)
    : await callApi(fetch).register(account)
  return {
    name,
    userId: user._id,
    devices,
    token,
    server: createServerView({ serverUrl, token }),
    async device({ clockAheadMs = 0, line, fill } = {}) {
      const device = await createLabDevice({
        name: `${name}-${devices.length + 1}`,
        serverUrl,
        dataDir,
        random,
        signIn,
        endSignIn,
        witness,
        onError,
        clockAheadMs,
        line,
        fill,
      })
      devices.push(device)
      return device
    },
  }
}
