import { must } from '../../../../../schema/helpers/assertions.ts'
import { type Api, createApi } from '../../../../api/api.ts'
import { createSessionStore } from '../../../../api/session-store.ts'
import { createKeyValueStorage } from '../../../../database/storage/key-value-storage.ts'

export interface StoryPerson {
  name: string
  email: string
  password: string
  userId: string
  token: string
  api: Api
}

/** A person with an account, acting through the client library. */
export async function createStoryPerson(
  origin: string,
  { name, about }: { name: string; about: string },
): Promise<StoryPerson> {
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  // Nobody waits at a screen: on a busy machine the answers come, and late.
  const api = createApi({ serverUrl: origin, fetch, sessions, timeoutMs: 60_000 })
  const username = name.toLowerCase().replaceAll(' ', '.')
  const [email, password] = [`${username}@example.org`, `${username}-secret`]
  sessions.set(await api.auth.register({ username, email, password }), { keepSignedIn: true })
  await api.own.updateProfile({ username: name, status: about })
  const { token, user } = must(sessions.get(), 'a sign-in')
  return { name, email, password, userId: user._id, token, api }
}
