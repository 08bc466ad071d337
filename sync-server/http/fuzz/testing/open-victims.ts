import { openTestChat } from '../../../testing/open-test-chat.ts'
import type { TestPerson } from '../../../testing/start-test-app.ts'
import type { ApiDescription } from '../../docs-routes.ts'
import type { Known } from '../hostile.contract.ts'

/** For tests: Ann and Ben, who have talked, and Mallory, who sends hostile requests. */
export async function openVictims() {
  const chat = await openTestChat()
  const api: ApiDescription = (await chat.app.call('GET', '/api/openapi.json')).body
  const [ann, ben] = [await chat.register('Ann'), await chat.register('Ben')]
  const secret = await chat.say(ann, ben, 'between Ann and Ben')
  await chat.say(ben, ann, 'an answer')
  const mallory = { count: 0, person: ben }

  async function renewMallory(): Promise<TestPerson> {
    mallory.count += 1
    mallory.person = await chat.register(`Mallory-${mallory.count}`)
    return mallory.person
  }

  const toMallory = await chat.say(ann, await renewMallory(), 'to Mallory')
  const known: Known = {
    ids: [ann.userId, ben.userId, secret, toMallory, '01890000-0000-7000-8000-000000000000'],
    components: api.components.schemas,
  }

  return {
    chat,
    api,
    ann,
    ben,
    known,
    renewMallory,
    get mallory() {
      return mallory.person
    },
    /** All of Ann's and Ben's data that nobody else may change. */
    describe: () =>
      Promise.all(
        [ann, ben].map(async (person) => {
          const { get } = chat.as(person)
          const other = person === ann ? ben : ann
          return [
            (await get('/users/me')).body,
            (await get(`/messages/${other.userId}`)).body,
            (await get('/users/blocked')).body,
            (await get('/users/me/sessions')).body.length,
          ]
        }),
      ),
  }
}
