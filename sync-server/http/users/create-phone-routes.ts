import * as z from 'zod/mini'
import { limits } from '../../../schema/limits.ts'
import { publicUser } from '../../../schema/user.ts'
import type { Directory } from '../../access/create-directory.ts'
import { RequestRefused } from '../request-refused.ts'
import { defineRoute, type Route } from '../route.ts'
import type { LookupLimit } from './create-lookup-limit.ts'
import type { UserPresenter } from './create-user-presenter.ts'
import { readWholeNumber } from './read-whole-number.ts'

const digitsParam = z.object({ digits: z.string() })

/** Finding people by their phone number. Somebody who tries number after number is slowed down. */
export function createPhoneRoutes(options: {
  directory: Directory
  presenter: UserPresenter
  lookups: LookupLimit
}): Route[] {
  const { directory, presenter, lookups } = options

  return [
    defineRoute({
      method: 'get',
      path: '/users/phone/{digits}',
      access: 'signed-in',
      summary: 'The person of a whole phone number, in any formatting; never yourself.',
      params: digitsParam,
      status: 200,
      answer: publicUser,
      errors: ['user_not_found', 'too_many_lookups'],
      async handle({ caller: { userId }, params }) {
        const digits = readWholeNumber(params.digits)
        lookups.count(userId)
        const account = await directory.findByPhone(userId, digits)
        if (!account) throw new RequestRefused('user_not_found')
        return await presenter.presentOne(userId, account)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/users/search/phone/{digits}',
      access: 'signed-in',
      summary: 'People by a part of their phone number, from three digits on; never yourself.',
      params: digitsParam,
      status: 200,
      answer: z.array(publicUser),
      errors: ['too_many_lookups'],
      async handle({ caller: { userId }, params }) {
        const digits = params.digits.replace(/\D/g, '')
        if (digits.length < limits.phoneSearchMinDigits) return []
        lookups.count(userId)
        return await presenter.presentAll(userId, await directory.searchPhones(userId, digits))
      },
    }),
  ]
}
