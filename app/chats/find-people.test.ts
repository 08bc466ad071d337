import { expect, test } from 'vitest'
import type { PublicUser } from '../../schema/user.ts'
import { testUser } from '../database/testing/test-user.ts'
import { findPeople } from './use-people-search.ts'

const id = (number: number) => `00000000-0000-7000-8000-00000000000${number}`
const person = (number: number, given: Partial<PublicUser>) =>
  testUser({ _id: id(number), username: `person ${number}`, ...given })
const people = [
  person(1, { username: 'Søren Müller' }),
  person(2, { whatsapp_name: 'Zoë' }),
  person(3, { phone_number: '491701234567' }),
]
const find = (query: string) => findPeople(people, query).map(({ _id }) => _id)

test('finds people by name without accents or case, by their name on WhatsApp, and by number', () => {
  expect(find('SOREN mu')).toEqual([id(1)])
  expect(find('zoe')).toEqual([id(2)])
  expect(find('0123')).toEqual([id(3)])
  expect(find('nobody')).toEqual([])
})

test("'WhatsApp' finds every customer", () => {
  const customer = person(4, { isWhatsAppContact: true })
  expect(findPeople([...people, customer], 'whatsapp')).toEqual([customer])
})
