import { hkdfSync, scryptSync } from 'node:crypto'
import type { SignedIn } from '../../../schema/api/auth.ts'
import { passwordPurposes } from '../../../schema/encryption/password-derivation.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import { createApi } from '../../api/api.ts'
import { ApiError } from '../../api/api-error.ts'
import type { SessionStore } from '../../api/session-store.ts'
import { createDeviceLinking } from '../../auth/device-linking.ts'
import type { DeviceStore } from '../../database/storage/open-device-store.ts'
import type { AccountKeys } from '../../encryption/account-keys.ts'
import { fromBase64Url, toBase64Url } from '../../encryption/base64-url.ts'
import type { derivePasswordSecrets } from '../../encryption/password-secrets.ts'
import { createAccountAccess } from '../../sync/keys/account-access.ts'
import { createKeyHandover } from '../../sync/keys/key-handover.ts'

/** What a person knows, and has on paper. */
export interface LabAccount {
  username: string
  /** Those that may be right, the likeliest first: the answer to a change can get lost. */
  passwords: string[]
  recoveryKey?: string | undefined
  /** Do their devices make keys and ask for them? Else they sign in as a script does. */
  hasKeys: boolean
}

/** How a device gets the keys of its person. */
export const keyWays = ['password', 'code', 'recovery'] as const
export type KeyWay = (typeof keyWays)[number]

/** What one device does with its person's password and keys. */
export interface LabAccess {
  /** The keys that lie on it, newest first. */
  listKeys(): Promise<readonly AccountKeys[]>
  /** Signs in with the password, which opens the keys; the first ones are made. */
  enter(): Promise<SignedIn>
  /** Shows a code, and waits until `by`, another device of this person, has confirmed it. */
  enterByCode(by: LabAccess): Promise<SignedIn>
  confirm(code: string): Promise<void>
  /** The same on a device that is signed in: it gets the keys that it lacks. */
  linkAgain(by: LabAccess): Promise<void>
  /** Signs in again if it has to, and unlocks what is locked. */
  comeBack(): Promise<void>
  /** Is its sign-in over? Undefined when nobody says. */
  isEnded(): Promise<boolean | undefined>
  /** Does what a locked device asks for, where it lacks the newest keys of its person. */
  unlock(way?: KeyWay): Promise<void>
  /** Loses its keys, and opens them by the recovery key. */
  recover(): Promise<void>
  /** Ends the sign-ins of the person's other devices. */
  changePassword(): Promise<void>
  /**
   * Sets a new password by a link that the operator made, which ends every sign-in: from then on the
   * password opens no keys.
   */
  resetPassword(token: string): Promise<void>
  /** Loses the keys that lie here, and signs in again. It stays locked until `unlock`. */
  loseKeys(): Promise<void>
  /** As `unlock`, unless its person left it locked. */
  unlockAtOnce(): Promise<void>
  /** Keys in place of those that the person has, or their first ones. */
  makeKeys(): Promise<void>
}

let changes = 0

/** No faults are in the way of these calls: only a busy machine keeps them waiting. */
export const labTimeoutMs = 60_000

/**
 * The real calls for one device of a person, past its faults, as if each were tried until it
 * succeeds. Each rejects while the server is away.
 */
export function createLabAccess(options: {
  account: LabAccount
  serverUrl: () => string
  sessions: SessionStore
  openStore: (userId: string) => Promise<DeviceStore>
}): LabAccess {
  const { account, serverUrl, sessions, openStore } = options
  const api = createApi({ serverUrl: serverUrl(), fetch, sessions, timeoutMs: labTimeoutMs })
  const state = { user: sessions.get()?.user, isLeftLocked: false }
  const access = createAccountAccess({
    auth: api.auth,
    own: api.own,
    derive: deriveQuickly,
    readUser: () => state.user,
    openStore,
  })
  const handover = createKeyHandover({
    calls: api.linking,
    readUserId: () => sessions.get()?.user._id,
    openStore,
  })

  async function withPassword<T>(work: (password: string) => Promise<T>): Promise<T> {
    let failure: unknown
    for (const password of account.passwords) {
      try {
        const result = await work(password)
        account.passwords = [password]
        return result
      } catch (cause) {
        failure = cause
      }
    }
    throw failure
  }

  function nextPassword(): string {
    changes += 1
    return `${account.username}'s password, change ${changes}`
  }

  async function withStore<T>(work: (store: DeviceStore) => Promise<T>): Promise<T> {
    const store = await openStore(must(state.user, 'a sign-in')._id)
    try {
      return await work(store)
    } finally {
      store.close()
    }
  }

  async function refresh() {
    state.user = await api.own.me()
  }

  /** Newest first. */
  const listKeys = async () =>
    state.user === undefined
      ? []
      : await withStore(async (store) => {
          const rows = await store.keyring.toArray()
          return rows.map(({ keys }) => keys).sort((a, b) => b.number - a.number)
        })

  /** A person writes it down at once, as long as it is the newest or they have none. */
  async function noteRecoveryKey() {
    const note = await withStore((store) => store.keyNotes.get('recovery'))
    if (note?._id !== 'recovery') return
    const isNewest = await access.checkRecoveryKey().catch(() => account.recoveryKey === undefined)
    if (isNewest) account.recoveryKey = note.text
  }

  async function enter(): Promise<SignedIn> {
    const { username } = account
    const session = await withPassword((password) =>
      account.hasKeys
        ? access.signIn({ username, password, keepSignedIn: true })
        : api.auth.login({ username, password, keepSignedIn: true }),
    )
    state.user = session.user
    if (account.hasKeys) await noteRecoveryKey()
    return session
  }

  async function unlock(way: KeyWay = 'password') {
    state.isLeftLocked = false
    if (!account.hasKeys || !sessions.get()) return
    await refresh()
    const newest = state.user?.keys?.number
    const [held] = await listKeys()
    if (newest === undefined || held?.number === newest) return
    const { recoveryKey } = account
    const byPassword = () => withPassword((password) => access.unlockByPassword({ password }))
    if (recoveryKey === undefined) return await byPassword()
    const byRecovery = () =>
      withPassword((password) => access.unlockByRecoveryKey({ recoveryKey, password }))
    // After a reset the password opens nothing, and the words on the screen name the other way.
    const [first, second] = way === 'recovery' ? [byRecovery, byPassword] : [byPassword, byRecovery]
    await first().catch(second)
  }

  async function isEnded() {
    if (!sessions.get()) return true
    return await refresh().then(
      () => false,
      (cause: unknown) => (cause instanceof ApiError && cause.status === 401 ? true : undefined),
    )
  }

  async function enterByCode(by: LabAccess): Promise<SignedIn> {
    let linking: ReturnType<typeof createDeviceLinking> | undefined
    const signedIn = new Promise<SignedIn>((resolve, reject) => {
      linking = createDeviceLinking({
        calls: handover,
        page: { isVisible: () => true, watch: () => () => {} },
        origin: 'https://lab.example',
        keepSignedIn: () => true,
        onSignedIn: resolve,
        endSignIn: ({ token, user }) => api.auth.endSignIn({ token, userId: user._id }),
      })
      const { state: shown } = linking
      let isConfirmed = false
      shown.subscribe(() => {
        const now = shown.getSnapshot()
        if (now.kind === 'ended') reject(new Error(now.words))
        if (now.kind === 'trouble') reject(new Error(now.words))
        if (now.kind !== 'shown' || isConfirmed) return
        isConfirmed = true
        by.confirm(now.address.split('#')[1] ?? '').catch(reject)
      })
    })
    const session = await signedIn.finally(() => linking?.close())
    state.user = session.user
    return session
  }

  return {
    listKeys,
    enter,
    isEnded,
    enterByCode,

    async linkAgain(by) {
      sessions.set(await enterByCode(by), { keepSignedIn: true })
    },

    async comeBack() {
      if (!account.hasKeys) return
      if (await isEnded()) sessions.set(await enter(), { keepSignedIn: true })
      await unlock()
    },

    async confirm(code) {
      await handover.scan(code)
      await handover.decide({ id: code, isAllowed: true })
    },

    unlock,

    async unlockAtOnce() {
      if (!state.isLeftLocked) await unlock()
    },

    async recover() {
      // Nothing else would open them after a reset.
      if (account.recoveryKey === undefined) return
      await withStore((store) => store.keyring.clear())
      await unlock('recovery')
    },

    async resetPassword(token) {
      const password = nextPassword()
      await access.resetPassword({ token, password }).catch((cause: unknown) => {
        // It may have been reset all the same.
        account.passwords = [password, ...account.passwords]
        throw cause
      })
      account.passwords = [password]
    },

    async loseKeys() {
      await withStore((store) => store.keyring.clear())
      state.isLeftLocked = true
      sessions.set(await enter(), { keepSignedIn: true })
    },

    async changePassword() {
      await refresh()
      const newPassword = nextPassword()
      await withPassword(async (currentPassword) => {
        await access.changePassword({ currentPassword, newPassword }).catch((cause: unknown) => {
          // It may have been changed all the same.
          account.passwords = [newPassword, ...account.passwords]
          throw cause
        })
      })
      account.passwords = [newPassword]
    },

    async makeKeys() {
      account.hasKeys = true
      if (!sessions.get()) {
        sessions.set(await enter(), { keepSignedIn: true })
        return
      }
      await refresh()
      // An answer that gets lost leaves no recovery key anywhere.
      account.recoveryKey = undefined
      if (state.user?.keys) await withPassword((password) => access.beginNewKeys({ password }))
      else await enter()
      await noteRecoveryKey()
    },
  }
}

/** As in the product, at the cost that the lab's server asks for. */
const deriveQuickly: typeof derivePasswordSecrets = async (password, derivation) => {
  const { salt, logN, r, p } = derivation
  const root = new Uint8Array(scryptSync(password, fromBase64Url(salt), 32, { N: 2 ** logN, r, p }))
  const purpose = (text: string) => new Uint8Array(hkdfSync('sha256', root, '', text, 32))
  const secret = toBase64Url(purpose(passwordPurposes.signIn))
  return { shown: { v: 1, salt, secret }, wrapKey: purpose(passwordPurposes.wrap) }
}
