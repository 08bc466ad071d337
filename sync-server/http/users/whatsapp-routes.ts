import {
  type LinkedWhatsApp,
  linkedWhatsApp,
  whatsAppLink,
} from '../../../schema/api/whatsapp-link.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { Accounts } from '../../access/accounts.ts'
import { defineRoute, type Route } from '../core/route.ts'
import { refuseTaken } from './find-account.ts'
import type { LookupLimit } from './lookup-limit.ts'
import { type NumberLinking, numberCheckErrors, vouchForNumber } from './vouch-for-number.ts'

/** Linking and unlinking one's own WhatsApp account. */
export function createWhatsAppRoutes(options: {
  accounts: Accounts
  lookups: LookupLimit
  channel: NumberLinking | undefined
}): Route[] {
  const { accounts, lookups, channel } = options
  return [
    defineRoute({
      method: 'post',
      path: '/users/link-whatsapp',
      access: 'signed-in',
      summary: 'Links your WhatsApp account, in the place of any before it.',
      body: whatsAppLink,
      status: 200,
      answer: linkedWhatsApp,
      errors: [
        ...(['whatsapp_taken', 'too_many_lookups', 'user_not_found'] as const),
        'account_changed',
        ...numberCheckErrors,
      ],
      async handle({ caller: { userId }, body }) {
        lookups.count(userId)
        const checked = await vouchForNumber(channel, { ...body, userId })
        const { vouched } = checked
        const profile = { ...body.profile, ...vouched }
        const whatsapp_name = body.whatsapp_name || vouched.verified_name
        const link = { ...body, whatsapp_name, profile }
        const outcome = await accounts.linkWhatsApp(userId, link, checked)
        if (outcome.kind !== 'done') throw refuseTaken(outcome)
        return presentLink(outcome.account)
      },
    }),

    defineRoute({
      method: 'post',
      path: '/users/unlink-whatsapp',
      access: 'signed-in',
      summary: 'Takes your WhatsApp link away. What was said stays.',
      status: 200,
      answer: linkedWhatsApp,
      errors: ['user_not_found', 'account_changed'],
      async handle({ caller: { userId } }) {
        const outcome = await accounts.unlinkWhatsApp(userId)
        if (outcome.kind !== 'done') throw refuseTaken(outcome)
        return presentLink(outcome.account)
      },
    }),
  ]
}

function presentLink(account: AccountDocument): LinkedWhatsApp {
  const { wa_id, phone_number, phone_number_id, whatsapp_name, profile } = account
  return {
    wa_id: wa_id ?? null,
    phone_number: phone_number ?? null,
    phone_number_id: phone_number_id ?? null,
    whatsapp_name: whatsapp_name ?? null,
    profile: profile ?? {},
    whatsapp_connected: Boolean(wa_id || phone_number || phone_number_id),
  }
}
