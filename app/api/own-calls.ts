import * as z from 'zod/mini'
import { type AccountExport, accountExport } from '../../schema/api/account-export.ts'
import {
  type AccountDeletion,
  type EmailChange,
  type KeptSeeds,
  keptSeeds,
  type MadeInvitation,
  madeInvitation,
  type NewKeys,
  type NewWraps,
  type PasswordChange,
  type Session,
  session,
} from '../../schema/api/auth.ts'
import {
  accountDeleted,
  onlineNoted,
  passwordChanged,
  sessionEnded,
} from '../../schema/api/done-answers.ts'
import { type PushSubscriptionBody, pushEnded, pushKept, pushKey } from '../../schema/api/push.ts'
import { type Usage, usage } from '../../schema/api/usage.ts'
import {
  type LinkedWhatsApp,
  linkedWhatsApp,
  type WhatsAppLink,
} from '../../schema/api/whatsapp-link.ts'
import { limitUploadMs } from '../../schema/api/wire.ts'
import { limits } from '../../schema/limits.ts'
import { pictureMimeTypes, uploadedPicture } from '../../schema/media.ts'
import { type TimedSettings, timedSettings } from '../../schema/settings.ts'
import { type OwnUser, ownUser, type ProfileChange } from '../../schema/user.ts'
import { requireInput } from './api-error.ts'
import type { Caller, CallOptions } from './caller.ts'

type Settings = OwnUser['settings']

/** Picture types that a browser may declare; the server checks the bytes. */
const pictureTypes: readonly string[] = [...pictureMimeTypes, 'image/jpg']

/** Of a person or a group. @throws ApiError with words for a person */
export function requirePicture(picture: Blob | undefined): asserts picture {
  requireInput(picture, 'Image file is required')
  requireInput(
    pictureTypes.includes(picture.type),
    'Invalid file type. Please upload a JPEG, PNG, or WebP image.',
  )
  requireInput(
    picture.size <= limits.pictureInputMaxBytes,
    'File size too large. Maximum size is 5MB.',
  )
}

/** The signed-in person's record: the same object until it changes. */
export interface OwnRecord {
  get(): OwnUser | undefined
  set(user: OwnUser): void
}

/** Calls on one's own record and sign-ins. */
export function createOwnCalls(options: { call: Caller; record: OwnRecord }) {
  const { call, record } = options

  async function kept<Change extends Partial<OwnUser>>(asked: Promise<Change>): Promise<Change> {
    const asker = record.get()?._id
    const change = await asked
    const user = record.get()
    if (user && user._id === asker) record.set({ ...user, ...change })
    return change
  }

  /** A whole record replaces the one before: a field that it lacks was taken away. */
  async function keptRecord(asked: Promise<OwnUser>): Promise<OwnUser> {
    const asker = record.get()?._id
    const user = await asked
    if (asker !== undefined && record.get()?._id === asker) record.set(user)
    return user
  }

  async function keptLink(asked: Promise<LinkedWhatsApp>): Promise<LinkedWhatsApp> {
    const asker = record.get()?._id
    const link = await asked
    const user = record.get()
    if (user && user._id === asker) record.set(withLink(user, link))
    return link
  }

  async function changeSettings(
    given: Partial<TimedSettings>,
    options?: CallOptions,
  ): Promise<TimedSettings> {
    const { settings } = given
    requireInput(settings && typeof settings === 'object', 'Settings object is required')
    return await kept(
      call({
        ...options,
        method: 'PUT',
        path: '/users/settings',
        body: given,
        answer: timedSettings,
        fallback: 'Failed to update settings',
      }),
    )
  }

  return {
    /** One's own record; also refreshes the one in the sign-in. */
    async me(): Promise<OwnUser> {
      for (;;) {
        const before = record.get()
        const user = await call({
          path: '/users/me',
          answer: ownUser,
          fallback: 'Failed to fetch current user',
        })
        const now = record.get()
        if (now === before && now) record.set(user)
        // A change saved meanwhile may be newer than this answer, which must not undo it.
        if (now === before || now?._id !== before?._id) return user
      }
    },

    async updateProfile(change: ProfileChange, options?: CallOptions): Promise<OwnUser> {
      requireInput(change && Object.keys(change).length > 0, 'Profile data is required')
      return await keptRecord(
        call({
          ...options,
          method: 'PUT',
          path: '/users/profile',
          body: change,
          answer: ownUser,
          fallback: 'Failed to update profile',
        }),
      )
    },

    /** @param picture JPEG, PNG or WebP of at most 5 MB; the answer is its address */
    async updatePicture(picture: Blob, options?: CallOptions): Promise<string> {
      requirePicture(picture)
      const form = new FormData()
      form.set('profilePicture', picture)
      const { profilePicture } = await kept(
        call({
          ...options,
          method: 'PUT',
          path: '/users/profile/picture',
          body: form,
          answer: uploadedPicture,
          fallback: 'Failed to update profile picture',
          timeoutMs: limitUploadMs(picture.size),
        }),
      )
      return profilePicture
    },

    /** Sets these settings now. @returns all of them */
    async updateSettings(settings: Settings, options?: CallOptions): Promise<Settings> {
      return (await changeSettings({ settings }, options)).settings
    },

    /** Brings settings that were set at their own times. @returns all of them, with their times */
    changeSettings,

    /** Admits one person, where an account needs an invitation. */
    async makeInvitation(): Promise<MadeInvitation> {
      return await call({
        method: 'POST',
        path: '/users/me/invitations',
        answer: madeInvitation,
        fallback: "Couldn't make an invitation",
      })
    },

    /** Marks this person as online, or offline, for a minute. */
    async setOnline(isOnline: boolean): Promise<void> {
      await call({
        method: 'PUT',
        path: '/users/status/online',
        body: { isOnline },
        answer: onlineNoted,
        fallback: 'Failed to update online status',
      })
    },

    async linkWhatsApp(link: WhatsAppLink): Promise<LinkedWhatsApp> {
      requireInput(link?.wa_id && link.phone_number, 'WhatsApp ID and phone number are required')
      return await keptLink(
        call({
          method: 'POST',
          path: '/users/link-whatsapp',
          body: link,
          answer: linkedWhatsApp,
          fallback: 'Failed to link WhatsApp account',
        }),
      )
    },

    /**
     * Takes the phone number along (decision 61, section 7).
     * @param options.keepsPhone leaves it in the record
     */
    async unlinkWhatsApp({ keepsPhone = false } = {}): Promise<void> {
      const fallback = 'Failed to unlink WhatsApp account'
      if (keepsPhone) {
        const body = { wa_id: null, phone_number_id: null, whatsapp_name: null }
        await keptRecord(
          call({ method: 'PUT', path: '/users/profile', body, answer: ownUser, fallback }),
        )
        return
      }
      await keptLink(
        call({
          method: 'POST',
          path: '/users/unlink-whatsapp',
          answer: linkedWhatsApp,
          fallback,
        }),
      )
    },

    async changePassword(change: PasswordChange): Promise<void> {
      await call({
        method: 'PUT',
        path: '/users/me/password',
        body: change,
        answer: passwordChanged,
        fallback: 'Failed to change the password',
      })
    },

    /** The email that signs this person in. */
    changeEmail: (change: EmailChange): Promise<OwnUser> =>
      keptRecord(
        call({
          method: 'PUT',
          path: '/users/email',
          body: change,
          answer: ownUser,
          fallback: 'Failed to change the email',
        }),
      ),

    /** What the password and the recovery key open. */
    readSeeds: (): Promise<KeptSeeds> =>
      call({
        path: '/users/me/keys',
        answer: keptSeeds,
        fallback: 'Failed to fetch your keys',
      }),

    /** The first keys of an account; or, with the password, new ones in their place. */
    setKeys: (given: NewKeys): Promise<OwnUser> =>
      keptRecord(
        call({
          method: 'PUT',
          path: '/users/me/keys',
          body: given,
          answer: ownUser,
          fallback: 'Failed to store your keys',
        }),
      ),

    /** Wraps the seed once more, for the password or the recovery key. */
    setWraps: (given: NewWraps): Promise<KeptSeeds> =>
      call({
        method: 'PUT',
        path: '/users/me/keys/wraps',
        body: given,
        answer: keptSeeds,
        fallback: 'Failed to store your keys',
      }),

    listSessions: (): Promise<Session[]> =>
      call({
        path: '/users/me/sessions',
        answer: z.array(session),
        fallback: 'Failed to fetch your sign-ins',
      }),

    async endSession(sessionId: string): Promise<void> {
      requireInput(sessionId, 'Session ID is required')
      await call({
        method: 'DELETE',
        path: `/users/me/sessions/${encodeURIComponent(sessionId)}`,
        answer: sessionEnded,
        fallback: 'Failed to end this sign-in',
      })
    },

    async endOtherSessions(): Promise<void> {
      await call({
        method: 'DELETE',
        path: '/users/me/sessions',
        answer: sessionEnded,
        fallback: 'Failed to end the other sign-ins',
      })
    },

    /** This person's storage use and quota. */
    readUsage: (): Promise<Usage> =>
      call({
        path: '/users/me/usage',
        answer: usage,
        fallback: 'Failed to fetch your storage',
      }),

    /** The key for which a browser's push service makes an address. */
    async readPushKey(): Promise<string> {
      const { publicKey } = await call({
        path: '/users/me/push',
        answer: pushKey,
        fallback: 'Failed to turn on notifications',
      })
      return publicKey
    },

    /** Has new messages pushed to this device. */
    async keepPush(subscription: PushSubscriptionBody): Promise<void> {
      requireInput(subscription, 'A subscription is required')
      await call({
        method: 'PUT',
        path: '/users/me/push',
        body: subscription,
        answer: pushKept,
        fallback: 'Failed to turn on notifications',
      })
    },

    async endPush(): Promise<void> {
      await call({
        method: 'DELETE',
        path: '/users/me/push',
        answer: pushEnded,
        fallback: 'Failed to turn off notifications',
      })
    },

    /** Everything that the server keeps about this person. */
    exportAccount: (): Promise<AccountExport> =>
      call({
        path: '/users/me/export',
        answer: accountExport,
        fallback: 'Failed to export your data',
        timeoutMs: limits.uploadTimeoutMs,
      }),

    /** Deletes the account and all its data. Needs the password: it cannot be undone. */
    async deleteAccount(deletion: AccountDeletion): Promise<void> {
      requireInput(
        deletion?.password ?? deletion?.secret,
        'Deleting your account needs your password.',
      )
      await call({
        method: 'DELETE',
        path: '/users/me',
        body: deletion,
        answer: accountDeleted,
        fallback: 'Failed to delete account',
      })
    },
  }
}

/** The record with this link: drops fields that are null in it. */
function withLink(
  user: OwnUser,
  { profile, whatsapp_connected, ...link }: LinkedWhatsApp,
): OwnUser {
  const { wa_id, phone_number, phone_number_id, whatsapp_name, ...rest } = user
  const given = Object.entries(link).filter(([, value]) => value !== null)
  return { ...rest, ...Object.fromEntries(given), profile, whatsapp_connected }
}
