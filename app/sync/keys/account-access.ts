import {
  accountDeletion,
  emailChange,
  type KeptSeeds,
  login,
  type NewKeys,
  type PasswordWasReset,
  registration,
  type SignedIn,
  type TypedPasswordChange,
  type TypedPasswordReset,
  typedPasswordChange,
  typedPasswordReset,
} from '../../../schema/api/auth.ts'
import type { WrappedSeed } from '../../../schema/encryption/account-keys.ts'
import type { OwnUser } from '../../../schema/user.ts'
import type { Api } from '../../api/api.ts'
import { ApiError } from '../../api/api-error.ts'
import { type DeviceStore, openDeviceStore } from '../../database/storage/open-device-store.ts'
import {
  type AccountKeys,
  CannotUnwrap,
  createSeed,
  deriveAccountKeys,
  publishKeys,
  unwrapSeed,
  wrapSeed,
} from '../../encryption/account-keys.ts'
import type { derivePasswordSecrets, PasswordSecrets } from '../../encryption/password-secrets.ts'
import {
  createRecoveryKey,
  readRecoveryKey,
  recoveryWrapKey,
} from '../../encryption/recovery-key.ts'

/** What a person types to sign in or to register. */
export interface TypedSignIn {
  username: string
  password: string
  keepSignedIn?: boolean
}
export type TypedRegistration = TypedSignIn & { email: string }

export type AccountAccess = ReturnType<typeof createAccountAccess>

/**
 * Everything that takes a person's password. The server is told secrets that are derived from it,
 * never the password; what else they open, the account's keys, is kept on this device. All reject
 * with words for a person.
 * @param options.derive takes a second: on a screen in a worker
 * @param options.readUser the signed-in person's own record
 */
export function createAccountAccess(options: {
  auth: Pick<
    Api['auth'],
    | 'askDerivation'
    | 'askResetDerivation'
    | 'login'
    | 'register'
    | 'resetPassword'
    | 'setKeys'
    | 'readSeeds'
  >
  own: Pick<
    Api['own'],
    'readSeeds' | 'setKeys' | 'setWraps' | 'changePassword' | 'changeEmail' | 'deleteAccount'
  >
  derive: typeof derivePasswordSecrets
  readUser: () => OwnUser | undefined
  openStore?: (userId: string) => Promise<DeviceStore>
}) {
  const { auth, own, derive, readUser } = options
  const openStore =
    options.openStore ?? ((userId: string) => openDeviceStore({ name: `petrel-${userId}` }))

  async function withStore<T>(userId: string, work: (store: DeviceStore) => Promise<T>) {
    const store = await openStore(userId)
    try {
      return await work(store)
    } finally {
      store.close()
    }
  }

  const askSecrets = async (username: string, password: string) =>
    await derive(password, await auth.askDerivation(username))

  function readSignedIn(): OwnUser {
    const user = readUser()
    if (user) return user
    const words = 'Authentication required'
    throw new ApiError({ status: 401, code: 'authentication_required', words })
  }

  const askOwnSecrets = (password: string) => askSecrets(readSignedIn().username, password)

  /** Keeps the keys that the password opens; those of an account that has none are made first. */
  async function enter(session: SignedIn, { wrapKey }: PasswordSecrets): Promise<SignedIn> {
    const { user, token, wrappedSeed } = session
    const place = { userId: user._id, way: 'password' as const }
    return await withStore(user._id, async (store) => {
      if (wrappedSeed) {
        // Another password wrapped it: the person is shown what opens it.
        await keep(store, () => unwrapSeed(wrappedSeed, wrapKey, place)).catch(ignoreClosed)
        return { token, user }
      }
      if (user.keys || user.encryption !== 'on') return { token, user }
      await store.keyNotes.put({ _id: 'opener', wrapKey })
      const made = await publishFirst(store, user, {
        setKeys: (given) => auth.setKeys(given, token),
        readSeeds: () => auth.readSeeds(token),
      }).catch(() => undefined)
      return { token, user: made ?? user }
    })
  }

  return {
    async signIn(given: TypedSignIn): Promise<SignedIn> {
      const { password, ...rest } = check(login, given)
      const secrets = await askSecrets(rest.username, password ?? '')
      return await enter(await auth.login({ ...rest, secret: secrets.shown }), secrets)
    },

    async register(given: TypedRegistration): Promise<SignedIn> {
      const { password, ...rest } = check(registration, given)
      const secrets = await askSecrets(rest.username, password ?? '')
      return await enter(await auth.register({ ...rest, secret: secrets.shown }), secrets)
    },

    /** Publishes the keys that a sign-in could not; does nothing where none are owed. */
    async finishKeys(): Promise<void> {
      const user = readUser()
      if (user?.encryption !== 'on') return
      await withStore(user._id, async (store) => {
        await publishFirst(store, user, own)
      })
    },

    /**
     * A new password, by the token of a link; resolves with whose it is. What was sealed needs the
     * recovery key or another device from then on.
     */
    async resetPassword(typed: TypedPasswordReset): Promise<PasswordWasReset> {
      const { token, password } = check(typedPasswordReset, typed)
      const { shown } = await derive(password, await auth.askResetDerivation(token))
      return await auth.resetPassword({ token, secret: shown })
    },

    /** The account's seed is wrapped for the new password in the same step. */
    async changePassword(typed: TypedPasswordChange): Promise<void> {
      const { currentPassword, newPassword } = check(typedPasswordChange, typed)
      const user = readSignedIn()
      const derivation = await auth.askDerivation(user.username)
      const current = await derive(currentPassword, derivation)
      const { earlier: _, ...next } = derivation
      const renewed = await derive(newPassword, next)
      const wrappedSeed = await rewrap(user, current, renewed)
      await own.changePassword({
        currentSecret: current.shown,
        newSecret: renewed.shown,
        ...(wrappedSeed && { wrappedSeed }),
      })
    },

    async changeEmail(typed: { email: string; password: string }): Promise<void> {
      const { email, password } = check(emailChange, typed)
      const { shown } = await askOwnSecrets(password ?? '')
      await own.changeEmail({ email, secret: shown })
    },

    async deleteAccount(typed: { password: string }): Promise<void> {
      const { password } = check(accountDeletion, typed)
      const { shown } = await askOwnSecrets(password ?? '')
      await own.deleteAccount({ secret: shown })
    },

    /** A new recovery key in place of any earlier one. It waits on this device until it is kept. */
    async makeRecoveryKey({ password }: { password: string }): Promise<string> {
      const user = readSignedIn()
      const { shown, wrapKey } = await askOwnSecrets(password)
      return await withStore(user._id, async (store) => {
        const keys = await openOwn(store, user, wrapKey)
        const text = createRecoveryKey()
        await own.setWraps({ secret: shown, recoverySeed: wrapForRecovery(keys, user._id, text) })
        await store.keyNotes.put({ _id: 'recovery', text })
        return text
      })
    },

    checkRecoveryKey,

    /**
     * The person says that they have the recovery key: it leaves this device.
     * @returns false when it was not the account's newest: what they have opens nothing
     */
    async confirmRecoveryKey(): Promise<boolean> {
      return await withStore(readSignedIn()._id, async (store) => {
        const shown = await checkShownRecoveryKey(store)
        await shown?.forget()
        return shown !== undefined
      })
    },

    /** Opens the keys with the recovery key, and wraps them for the present password. */
    async unlockByRecoveryKey(typed: { recoveryKey: string; password: string }): Promise<void> {
      const bytes = readRecoveryKey(typed.recoveryKey)
      if (!bytes) {
        throw new Error(
          "This isn't a recovery key: it has 52 letters. Please check what you typed.",
        )
      }
      const user = readSignedIn()
      const { recoverySeed } = await own.readSeeds()
      if (!recoverySeed) throw new Error('This account has no recovery key.')
      const place = { userId: user._id, way: 'recovery' as const }
      const keys = open(recoverySeed, recoveryWrapKey(bytes), place)
      if (!keys) throw new Error("This isn't the newest recovery key of this account.")
      const { shown, wrapKey } = await askOwnSecrets(typed.password)
      const wrapped = wrapSeed(keys, wrapKey, { ...place, way: 'password' })
      await own.setWraps({ secret: shown, wrappedSeed: wrapped })
      await withStore(user._id, (store) => keep(store, () => keys))
    },

    /** Opens the keys with the password, on a device that was signed in without them. */
    async unlockByPassword({ password }: { password: string }): Promise<void> {
      const user = readSignedIn()
      const { wrapKey } = await askOwnSecrets(password)
      const { wrappedSeed } = await own.readSeeds()
      const place = { userId: user._id, way: 'password' as const }
      const keys = wrappedSeed && open(wrappedSeed, wrapKey, place)
      if (!keys) {
        throw new Error(
          "This doesn't open your messages. Is it your password? Then it was reset: use the recovery key or another device.",
        )
      }
      await withStore(user._id, (store) => keep(store, () => keys))
    },

    /** New keys in place of those that nothing opens any more. Nothing is deleted. */
    async beginNewKeys({ password }: { password: string }): Promise<void> {
      const user = readSignedIn()
      const { shown, wrapKey } = await askOwnSecrets(password)
      const number = (user.keys?.number ?? 0) + 1
      await withStore(user._id, async (store) => {
        const { given, keys, text } = draftKeys(user._id, number, wrapKey)
        await own.setKeys({ ...given, secret: shown })
        await keep(store, () => keys)
        await store.keyNotes.put({ _id: 'recovery', text })
      })
    },
  }

  /**
   * Asks the server whether the recovery key that waits on this device opens the account's keys.
   * One that another device replaced leaves this device.
   * @returns false when none waits any more
   */
  async function checkRecoveryKey(): Promise<boolean> {
    const shown = await withStore(readSignedIn()._id, checkShownRecoveryKey)
    return shown !== undefined
  }

  async function checkShownRecoveryKey(store: DeviceStore) {
    const note = await store.keyNotes.get('recovery')
    if (note?._id !== 'recovery') return undefined
    const { text } = note
    /** Another tab may have made a newer one meanwhile, which stays. */
    const forget = () =>
      store.keyNotes.filter((kept) => kept._id === 'recovery' && kept.text === text).delete()
    const { recoverySeed } = await own.readSeeds()
    const bytes = readRecoveryKey(text)
    const place = { userId: readSignedIn()._id, way: 'recovery' as const }
    if (recoverySeed && bytes && open(recoverySeed, recoveryWrapKey(bytes), place))
      return { forget }
    await forget()
    return undefined
  }

  /** The seed wrapped for another password, of an account that has keys. */
  async function rewrap(
    user: OwnUser,
    current: PasswordSecrets,
    renewed: PasswordSecrets,
  ): Promise<WrappedSeed | undefined> {
    if (!user.keys) return undefined
    return await withStore(user._id, async (store) => {
      const keys = await openOwn(store, user, current.wrapKey)
      return wrapSeed(keys, renewed.wrapKey, { userId: user._id, way: 'password' })
    })
  }

  /** The account's present keys: from this device, or from what the password opens. */
  async function openOwn(
    store: DeviceStore,
    user: OwnUser,
    wrapKey: Uint8Array,
  ): Promise<AccountKeys> {
    const { wrappedSeed } = await own.readSeeds()
    const number = wrappedSeed?.number ?? user.keys?.number ?? 0
    const kept = await store.keyring.get(number)
    if (kept) return kept.keys
    const place = { userId: user._id, way: 'password' as const }
    const keys = wrappedSeed && open(wrappedSeed, wrapKey, place)
    if (keys) return keys
    throw new Error(
      'Your messages are locked on this device. Unlock them first: Settings → Security.',
    )
  }
}

/** Makes and publishes an account's first keys with the opener that a sign-in left. */
async function publishFirst(
  store: DeviceStore,
  user: OwnUser,
  calls: {
    setKeys: (given: NewKeys) => Promise<OwnUser>
    readSeeds: () => Promise<KeptSeeds>
  },
): Promise<OwnUser | undefined> {
  const opener = await store.keyNotes.get('opener')
  if (opener?._id !== 'opener') return undefined
  const { given, keys, text } = draftKeys(user._id, 1, opener.wrapKey)
  try {
    const published = await calls.setKeys(given)
    await keep(store, () => keys)
    await store.keyNotes.put({ _id: 'recovery', text })
    await store.keyNotes.delete('opener')
    return published
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.code !== 'keys_outdated') throw cause
    // Another device was quicker, or an earlier answer got lost: the same password opens those.
    const { wrappedSeed } = await calls.readSeeds()
    const place = { userId: user._id, way: 'password' as const }
    if (wrappedSeed) {
      await keep(store, () => unwrapSeed(wrappedSeed, opener.wrapKey, place)).catch(ignoreClosed)
    }
    await store.keyNotes.delete('opener')
    return undefined
  }
}

/** New keys, wrapped for the password and for a recovery key. */
function draftKeys(userId: string, number: number, wrapKey: Uint8Array) {
  const keys = deriveAccountKeys({ seed: createSeed(), number })
  const text = createRecoveryKey()
  const given: NewKeys = {
    keys: { ...publishKeys(keys, userId), v: 1 },
    wrappedSeed: wrapSeed(keys, wrapKey, { userId, way: 'password' }),
    recoverySeed: wrapForRecovery(keys, userId, text),
  }
  return { keys, text, given }
}

function wrapForRecovery(keys: AccountKeys, userId: string, text: string): WrappedSeed {
  const bytes = readRecoveryKey(text)
  if (!bytes) throw new Error('A recovery key was written that cannot be read.')
  return wrapSeed(keys, recoveryWrapKey(bytes), { userId, way: 'recovery' })
}

async function keep(store: DeviceStore, find: () => AccountKeys): Promise<void> {
  const keys = find()
  await store.keyring.put({ _id: keys.number, keys })
}

function open(...given: Parameters<typeof unwrapSeed>): AccountKeys | undefined {
  try {
    return unwrapSeed(...given)
  } catch (cause) {
    if (cause instanceof CannotUnwrap) return undefined
    throw cause
  }
}

function ignoreClosed(cause: unknown): void {
  if (!(cause instanceof CannotUnwrap)) throw cause
}

/** The words of the form, before anything is derived. */
function check<T>(
  schema: {
    safeParse(given: unknown): {
      data?: T | undefined
      error?: { issues: readonly { message: string }[] } | undefined
    }
  },
  given: unknown,
): T {
  const { data, error } = schema.safeParse(given)
  if (data === undefined || error) {
    throw new Error(error?.issues[0]?.message ?? 'Something is missing.')
  }
  return data
}
