import type { Api, createApi } from './api.ts'
import { createAuthCalls } from './auth-calls.ts'
import { createCallers } from './caller.ts'
import { createPeopleCalls } from './people-calls.ts'

type Calls = { [name: string]: (...given: never[]) => Promise<unknown> }

/**
 * The client library for a page: loads code that the first screen does not need with the first such
 * call.
 */
export function createLazyApi(options: Parameters<typeof createApi>[0]): Api {
  const callers = createCallers(options)
  let whole: Promise<Api> | undefined

  function load(): Promise<Api> {
    whole ??= import('./api.ts').then(({ createApi }) => createApi(options))
    whole.catch(() => {
      whole = undefined
    })
    return whole
  }

  return {
    auth: createAuthCalls(callers),
    linking: deferCalls(async () =>
      (await import('./linking-calls.ts')).createLinkingCalls(callers),
    ),
    users: deferCalls(async () => (await load()).users, createPeopleCalls(callers.callSignedIn)),
    own: deferCalls(async () => (await load()).own),
    messages: deferCalls(async () => (await load()).messages),
    conversations: deferCalls(async () => (await load()).conversations),
    groups: deferCalls(async () => (await load()).groups),
    admin: deferCalls(async () =>
      (await import('./admin-calls.ts')).createAdminCalls(callers.callSignedIn),
    ),
    whatsApp: deferCalls(async () => (await load()).whatsApp),
  }
}

/**
 * Calls that exist as soon as they are made; those in `ready` exist from the start. All are of one
 * group, which may remember something from one to the next; a load that failed is tried again.
 */
export function deferCalls<Group extends object>(
  load: () => Promise<Group>,
  ready?: Partial<Group>,
): Group {
  const known = { ...ready } as Record<string, unknown>
  let loaded: Promise<Group> | undefined

  function loadOnce(): Promise<Group> {
    loaded ??= load()
    loaded.catch(() => {
      loaded = undefined
    })
    return loaded
  }

  return new Proxy(known, {
    get(_target, name) {
      // `await` takes an object with `then` for a promise.
      if (typeof name !== 'string' || name === 'then') return undefined
      known[name] ??= async (...given: never[]) => {
        const calls = (await loadOnce()) as Calls
        return await calls[name]?.(...given)
      }
      return known[name]
    },
  }) as Group
}
