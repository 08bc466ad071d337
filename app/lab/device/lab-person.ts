import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'

import { createApi } from '../../api/api.ts'
import { createSessionStore } from '../../api/session-store.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { openDeviceStore } from '../../database/storage/open-device-store.ts'
import type { AccountKeys } from '../../encryption/account-keys.ts'
import { toBase64Url } from '../../encryption/base64-url.ts'
import type { TraceRecorder } from '../kit/trace.ts'
import { createServerView, type ServerView } from '../server/server-view.ts'
import {
  createLabAccess,
  type KeyWay,
  type LabAccess,
  type LabAccount,
  labTimeoutMs,
} from './lab-access.ts'
import { createLabDevice, type DeviceOptions } from './lab-device.ts'
import type { LabDevice } from './lab-device-types.ts'
import { createNewerApp, type NewerApp } from './newer-app.ts'
import type { Witness } from './witness.ts'

/** A person with an account and any number of devices. */
export interface LabPerson {
  readonly name: string
  readonly userId: string
  /** Did this person's devices seal from the first, to others who have keys too? */
  readonly hasKeys: boolean
  readonly devices: readonly LabDevice[]
  /** A separate token, for tests that talk to the server like a stranger's program. */
  readonly token: string
  /** The server's data of this person, read without faults. */
  readonly server: ServerView
  /**
   * @param options.clockAheadMs how wrong its clock is, in ms
   * @param options.line the slowest tolerated line, when stricter than in the product
   * @param options.fill fills its empty IndexedDB before its first start
   * @param options.way how it gets the person's keys: by the password, where nothing is said
   */
  device(
    options?: Partial<Pick<DeviceOptions, 'clockAheadMs' | 'line' | 'fill'>> & { way?: KeyWay },
  ): Promise<LabDevice>
  /** A device that nobody sees, which loses nothing: it hands on former keys. */
  readonly desk: LabAccess
  readonly newerApp: NewerApp
  /** First keys, or new ones in place of those before, from a device that nobody sees. */
  makeKeys(): Promise<void>
  /** All of this person's keys, newest first. */
  listKeys(): Promise<readonly AccountKeys[]>
}

export async function createLabPerson(options: {
  name: string
  /** Does the server have this person's account? */
  isKnown: boolean
  serverUrl: () => string
  dataDir: string
  random: () => number
  witness: Witness
  /** Do this person's devices seal what they write? */
  hasKeys: boolean
  trace: TraceRecorder | undefined
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
    return createApi({ serverUrl: serverUrl(), fetch, sessions, timeoutMs: labTimeoutMs }).auth
  }

  async function endSignIn(token: string) {
    const headers = { authorization: `Bearer ${token}` }
    await fetch(`${serverUrl()}/api/auth/logout`, { method: 'POST', headers })
  }

  const { user, token: firstToken } = options.isKnown
    ? await callApi(fetch).login({ username: name, password })
    : await callApi(fetch).register(account)
  const signedIn = { token: firstToken }
  const known: LabAccount = { username: name, passwords: [password], hasKeys: options.hasKeys }
  const atDesk = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  const indexedDB = new IDBFactory()
  const desk = createLabAccess({
    account: known,
    serverUrl,
    sessions: atDesk,
    openStore: (userId) => openDeviceStore({ name: `petrel-${userId}`, indexedDB, IDBKeyRange }),
  })
  if (options.hasKeys) await desk.makeKeys()

  /** The device that confirms a new one's code: one that has the keys itself. */
  function findConfirming(way: KeyWay | undefined) {
    return way === 'code' && known.hasKeys
      ? devices.find(({ isOpen }) => isOpen)?.access
      : undefined
  }
  const server = createServerView({
    serverUrl,
    readToken: () => signedIn.token,
    async renew() {
      signedIn.token = (await desk.enter()).token
    },
  })
  return {
    name,
    userId: user._id,
    hasKeys: options.hasKeys,
    devices,
    get token() {
      return signedIn.token
    },
    server,
    newerApp: createNewerApp({ userId: user._id, server, witness }),
    desk,
    makeKeys: desk.makeKeys,
    async listKeys() {
      const found = new Map<string, AccountKeys>()
      for (const access of [desk, ...devices.map((device) => device.access)]) {
        for (const one of await access.listKeys()) found.set(toBase64Url(one.seed), one)
      }
      return [...found.values()].sort((a, b) => b.number - a.number)
    },
    async device({ clockAheadMs = 0, line, fill, way } = {}) {
      const device = await createLabDevice({
        name: `${name}-${devices.length + 1}`,
        serverUrl,
        dataDir,
        random,
        endSignIn,
        witness,
        account: known,
        by: findConfirming(way),
        isRecovered: way === 'recovery' && known.hasKeys,
        trace: options.trace,
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
