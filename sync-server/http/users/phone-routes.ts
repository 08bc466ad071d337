import * as z from 'zod/mini'
import { limits } from '../../../schema/limits.ts'
import { publicUser } from '../../../schema/user.ts'
import type { Directory } from '../../access/directory.ts'
import type { Channel } from '../../whatsapp/channel.ts'
import { presentContact } from '../../whatsapp/customers/present-contact.ts'
import { RequestRefused, readWholeNumber } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import type { LookupLimit } from './lookup-limit.ts'
import type { UserPresenter } from './user-presenter.ts'

const digitsParam = z.object({ digits: z.string() })

/** Finds people by phone number, with a limit against enumeration. */
export function createPhoneRoutes(options: {
  directory: Directory
  presenter: UserPresenter
  lookups: LookupLimit
  channel: Pick<Channel, 'calls' | 'contacts'> | undefined
}): Route[] {
  const { directory, presenter, lookups, channel } = options

  return [
    defineRoute({
      method: 'get',
      path: '/users/phone/{digits}',
      access: 'signed-in',
      summary:
        'The person of a whole phone number, or your WhatsApp contact, in any formatting; never yourself.',
      params: digitsParam,
      status: 200,
      answer: publicUser,
      errors: ['user_not_found', 'too_many_lookups'],
      async handle({ caller: { userId }, params }) {
        const digits = readWholeNumber(params.digits)
        lookups.count(userId)
        const account = await directory.findByPhone(userId, digits)
        if (account) return await presenter.presentOne(userId, account)
        const contact = await channel?.calls.findByPhone(userId, digits)
        if (!contact) throw new RequestRefused('user_not_found')
        return presentContact(contact)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/users/search/phone/{digits}',
      access: 'signed-in',
      summary:
        'People and your WhatsApp contacts by a part of their number, from three digits on; never yourself.',
      params: digitsParam,
      status: 200,
      answer: z.array(publicUser),
      errors: ['too_many_lookups'],
      async handle({ caller: { userId }, params }) {
        const digits = params.digits.replace(/\D/g, '')
        if (digits.length < limits.phoneSearchMinDigits) return []
        lookups.count(userId)
        const found = await directory.searchPhones(userId, digits)
        const people = await presenter.presentAll(userId, found)
        const left = limits.phoneSearchMax - people.length
        const ofChannel = left > 0 ? await channel?.contacts.search(userId, digits, left) : []
        return [...people, ...(ofChannel ?? []).map(presentContact)]
      },
    }),
  ]
}
