import * as z from 'zod/mini'
import { publicUser } from '../../../schema/user.ts'
import type { Accounts } from '../../access/create-accounts.ts'
import type { Directory } from '../../access/create-directory.ts'
import { defineRoute, type Route } from '../route.ts'
import type { UserPresenter } from './create-user-presenter.ts'
import { findAccount } from './find-account.ts'

const userIdParam = z.object({ id: z.string() })

/** Finding and seeing other people. */
export function createUserRoutes(options: {
  accounts: Accounts
  directory: Directory
  presenter: UserPresenter
}): Route[] {
  const { accounts, directory, presenter } = options
  return [
    defineRoute({
      method: 'get',
      path: '/users',
      access: 'signed-in',
      summary: 'Everybody whom you can write to without searching; never yourself.',
      status: 200,
      answer: z.array(publicUser),
      handle: async ({ caller: { userId } }) =>
        await presenter.presentAll(userId, await directory.list(userId)),
    }),

    defineRoute({
      method: 'get',
      path: '/users/search/{query}',
      access: 'signed-in',
      summary: 'People by a part of their name or number, from two characters on; never yourself.',
      params: z.object({ query: z.string() }),
      status: 200,
      answer: z.array(publicUser),
      handle: async ({ caller: { userId }, params: { query } }) =>
        await presenter.presentAll(userId, await directory.search(userId, query)),
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
      handle: async ({ caller, params }) =>
        await presenter.presentOne(caller.userId, await findAccount(accounts, params.id)),
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
        const account = await findAccount(accounts, params.id)
        const { isOnline, lastSeen } = await presenter.presentOne(caller.userId, account)
        return { isOnline, lastSeen }
      },
    }),
  ]
}
