import * as z from 'zod/mini'
import { limits } from '../../../schema/limits.ts'
import { publicUser } from '../../../schema/user.ts'
import { type Directory, isEmail } from '../../access/directory.ts'
import type { Contacts } from '../../whatsapp/customers/contacts.ts'
import { presentContact } from '../../whatsapp/customers/present-contact.ts'
import { defineRoute, type Route } from '../core/route.ts'
import type { LookupLimit } from './lookup-limit.ts'
import type { UserPresenter } from './user-presenter.ts'

const userIdParam = z.object({ id: z.string() })

/** Finding and seeing other people. */
export function createUserRoutes(options: {
  directory: Directory
  presenter: UserPresenter
  contacts: Pick<Contacts, 'list' | 'searchNames'>
  lookups: LookupLimit
}): Route[] {
  const { directory, presenter, contacts, lookups } = options
  return [
    defineRoute({
      method: 'get',
      path: '/users',
      access: 'signed-in',
      summary:
        'Everybody you can write to without searching, your WhatsApp contacts among them; never yourself.',
      status: 200,
      answer: z.array(publicUser),
      async handle({ caller: { userId } }) {
        const people = await presenter.presentAll(userId, await directory.list(userId))
        const left = limits.usersListMax - people.length
        const ofChannel = left > 0 ? await contacts.list(userId, left) : []
        return [...people, ...ofChannel.map(presentContact)]
      },
    }),

    defineRoute({
      method: 'get',
      path: '/users/search/{query}',
      access: 'signed-in',
      summary:
        'People by a part of their name or number, or by their whole email address, and your WhatsApp contacts by their name, from two characters on; never yourself.',
      params: z.object({ query: z.string() }),
      status: 200,
      answer: z.array(publicUser),
      errors: ['too_many_lookups'],
      async handle({ caller: { userId }, params: { query } }) {
        // Addresses could be tried one after the other, as numbers could.
        if (isEmail(query)) lookups.count(userId)
        const people = await presenter.presentAll(userId, await directory.search(userId, query))
        const left = limits.userSearchMax - people.length
        const isLong = query.trim().length >= limits.userSearchMinLength
        const ofChannel = isLong && left > 0 ? await contacts.searchNames(userId, query, left) : []
        return [...people, ...ofChannel.map(presentContact)]
      },
    }),

    defineRoute({
      method: 'get',
      path: '/users/{id}',
      access: 'signed-in',
      summary: 'One person, without their email address.',
      params: userIdParam,
      status: 200,
      answer: publicUser,
      errors: ['user_not_found'],
      handle: async ({ caller, params }) => await presenter.presentById(caller.userId, params.id),
    }),

    defineRoute({
      method: 'get',
      path: '/users/{id}/activity',
      access: 'signed-in',
      summary: 'Whether a person is online, and when they last were.',
      params: userIdParam,
      status: 200,
      answer: z.pick(publicUser, { isOnline: true, lastSeen: true }),
      errors: ['user_not_found'],
      async handle({ caller, params }) {
        const { isOnline, lastSeen } = await presenter.presentById(caller.userId, params.id)
        return { isOnline, lastSeen }
      },
    }),
  ]
}
