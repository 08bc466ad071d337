import * as z from 'zod/mini'
import { onlineNoted } from '../../../schema/api/done-answers.ts'
import {
  pickSettings,
  settingTimes,
  type TimedSettings,
  timedSettings,
} from '../../../schema/settings.ts'
import { ownUser, profileChange, userSettings } from '../../../schema/user.ts'
import type { Accounts } from '../../access/accounts.ts'
import { claimKey } from '../../access/claims.ts'
import type { Presence } from '../../realtime/presence.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import { findAccount, refuseTaken } from './find-account.ts'
import type { LookupLimit } from './lookup-limit.ts'
import type { UserPresenter } from './user-presenter.ts'
import { type NumberLinking, numberCheckErrors, vouchForNumber } from './vouch-for-number.ts'

const wrappedSettings = z.strictObject({
  settings: userSettings,
  settingsAt: z.optional(settingTimes),
})

const bareSettings = userSettings.check(
  z.refine((settings) => !Object.hasOwn(settings, 'settingsAt'), 'The times must be epoch ms'),
)

/**
 * `{settings: {…}}` means the same as the settings object alone; it may also say when each was set.
 */
const settingsBody = z.pipe(
  z.union([wrappedSettings, bareSettings], { error: 'Settings object is required' }),
  z.transform((body: z.infer<typeof wrappedSettings> | z.infer<typeof userSettings>) => {
    const wrapped = wrappedSettings.safeParse(body)
    return wrapped.success ? wrapped.data : { settings: body as z.infer<typeof userSettings> }
  }),
)

/** A person's own account. */
export function createOwnRoutes(options: {
  accounts: Accounts
  presence: Presence
  presenter: UserPresenter
  lookups: LookupLimit
  channel: NumberLinking | undefined
  /** Called with settings that a person has changed. */
  onSettings: (userId: string, changed: TimedSettings) => void
}): Route[] {
  const { accounts, presence, presenter, lookups, channel, onSettings } = options
  return [
    defineRoute({
      method: 'get',
      path: '/users/me',
      access: 'signed-in',
      summary: 'Your own record, with your email address and settings.',
      status: 200,
      answer: ownUser,
      errors: ['user_not_found'],
      handle: async ({ caller }) =>
        await presenter.presentOwn(await findAccount(accounts, caller.userId)),
    }),

    defineRoute({
      method: 'put',
      path: '/users/profile',
      access: 'signed-in',
      summary:
        'Changes the fields that are given; null takes one away, and the phone number takes the WhatsApp link along.',
      body: profileChange,
      status: 200,
      answer: ownUser,
      errors: [
        ...(['username_taken', 'email_taken', 'user_not_found'] as const),
        ...(['whatsapp_taken', 'phone_taken', 'too_many_lookups'] as const),
        ...(['email_needs_password', 'account_changed'] as const),
        ...numberCheckErrors,
      ],
      async handle({ caller, body }) {
        if (body.phone_number) lookups.count(caller.userId)
        const { phone_number_id, ...rest } = body
        const own = await findAccount(accounts, caller.userId)
        if (body.email !== undefined && !isSameEmail(body.email, own.email)) {
          throw new RequestRefused('email_needs_password')
        }
        const phone_number = body.phone_number ?? own.phone_number
        const { userId } = caller
        const checked = await vouchForNumber(channel, { userId, phone_number_id, phone_number })
        const outcome = await accounts.changeProfile(
          caller.userId,
          {
            ...rest,
            ...(phone_number_id !== undefined && { phone_number_id: phone_number_id || null }),
          },
          checked,
        )
        if (outcome.kind === 'taken' && outcome.field === 'phone' && !body.wa_id) {
          throw new RequestRefused('phone_taken')
        }
        if (outcome.kind !== 'done') throw refuseTaken(outcome)
        return await presenter.presentOwn(outcome.account)
      },
    }),

    defineRoute({
      method: 'put',
      path: '/users/settings',
      access: 'signed-in',
      summary:
        'Changes the settings that are given, each unless a later change of it is known; without a time it is set now.',
      body: settingsBody,
      status: 200,
      answer: timedSettings,
      errors: ['user_not_found', 'settings_too_large', 'account_changed'],
      async handle({ caller: { userId }, body }) {
        const outcome = await accounts.changeSettings(userId, body)
        if (outcome.kind === 'too_large') throw new RequestRefused('settings_too_large')
        if (outcome.kind !== 'done') throw refuseTaken(outcome)
        const { settings, settingsAt = {} } = outcome.account
        onSettings(userId, pickSettings({ settings, settingsAt }, Object.keys(body.settings)))
        return { settings, settingsAt }
      },
    }),

    defineRoute({
      method: 'put',
      path: '/users/status/online',
      access: 'signed-in',
      summary: 'Says for a minute that you are here, where no socket can be kept open.',
      body: z.object(
        { isOnline: z.boolean('isOnline must be true or false') },
        'isOnline must be true or false',
      ),
      status: 200,
      answer: onlineNoted,
      async handle({ caller, body }) {
        presence.state(caller.userId, body.isOnline)
        return { isOnline: presence.isOnline(caller.userId) }
      },
    }),
  ]
}

/** Some programs send the whole record back: the email in it is no change. */
function isSameEmail(a: string, b: string): boolean {
  return claimKey('email', a) === claimKey('email', b)
}
