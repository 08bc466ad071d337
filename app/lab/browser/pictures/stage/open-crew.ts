import { signIn } from '../../account-steps.ts'
import { chatRow, composer, say } from '../../chat-steps.ts'
import { makeGroup } from '../../group-steps.ts'
import { type BrowserPerson, createPerson } from '../../person.ts'
import { installStoryClock } from './install-story-clock.ts'
import type { StoryServer } from './start-story-server.ts'
import { groupLines, groupName, type Role, storyNow } from './story.ts'
import type { People } from './tell-story.ts'

const others = ['ben', 'carla'] as const satisfies readonly Role[]
type Aboard = 'ann' | (typeof others)[number]

/**
 * Three of the story at devices of their own, which gives them keys: what they write from here on is
 * encrypted, as it is for everybody who signs in. They make a group, and write in it.
 */
export async function openCrew(server: StoryServer, people: People) {
  const entries: [Aboard, BrowserPerson][] = []
  for (const role of ['ann', ...others] as const) {
    const { email, password } = people[role]
    const person = await createPerson(server, email, { timezoneId: 'UTC', locale: 'en-GB' })
    await person.profile.context.addInitScript(installStoryClock, storyNow - Date.now())
    await person.page.goto('/login')
    await signIn({ ...person, page: person.page, password })
    await chatRow(person.page, role === 'ann' ? people.ben.name : people.ann.name).waitFor()
    entries.push([role, person])
  }
  const crew = Object.fromEntries(entries) as Record<Aboard, BrowserPerson>
  const names = others.map((role) => people[role].name)
  await makeGroup(crew.ann.page, groupName, names)
  for (const { from, text } of groupLines) {
    const { page } = crew[from]
    await chatRow(page, groupName).click()
    await composer(page).waitFor()
    await say(page, text)
  }
  for (const { page } of Object.values(crew)) {
    await page
      .getByText(groupLines.at(-1)?.text ?? '')
      .first()
      .waitFor()
  }
  return {
    async close() {
      await Promise.all(Object.values(crew).map((person) => person.close()))
    },
  }
}
