import * as z from 'zod/mini'
import { accountExport } from '../../schema/api/account-export.ts'
import { errorAnswer } from '../../schema/api/api-error.ts'
import { session, signedIn } from '../../schema/api/auth.ts'
import { conversationAnswer, conversationStats } from '../../schema/api/conversation-answer.ts'
import {
  messageAnswer,
  messageParty,
  messageStatusAnswer,
  statusHistoryAnswer,
} from '../../schema/api/message-answer.ts'
import { linkedWhatsApp } from '../../schema/api/whatsapp-link.ts'
import { id } from '../../schema/id.ts'
import { uploadedFile } from '../../schema/media.ts'
import { ownUser, publicUser } from '../../schema/user.ts'
import { blanks } from './core/whole-entities.ts'

/** Schemas that the API description names instead of repeating. */
const namedSchemas = z.registry<{ id: string }>()

const names: [string, z.ZodMiniType][] = [
  ['Id', id],
  ['Error', errorAnswer],
  ['User', publicUser],
  ['OwnUser', ownUser],
  ['SignedIn', signedIn],
  ['Session', session],
  ['Message', messageAnswer],
  ['MessageParty', messageParty],
  ['MessageStatus', messageStatusAnswer],
  ['StatusHistory', statusHistoryAnswer],
  ['Conversation', conversationAnswer],
  ['ConversationStats', conversationStats],
  ['UploadedFile', uploadedFile],
  ['LinkedWhatsApp', linkedWhatsApp],
  ['AccountExport', accountExport],
]

for (const [name, schema] of names) namedSchemas.add(schema, { id: name })

const componentsPath = '#/components/schemas/'

export type SchemaDescriber = ReturnType<typeof createSchemaDescriber>

/** Turns zod schemas into JSON Schema, and collects those that have names of their own. */
export function createSchemaDescriber() {
  const components: Record<string, JsonSchema> = {}

  return {
    components,
    /** @param io `input` for what a call takes, `output` for what it answers */
    describe(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
      const made = z.toJSONSchema(schema, {
        ...{ io, metadata: namedSchemas, unrepresentable: 'any' },
        override: ({ zodSchema, jsonSchema }) => addBlanks(zodSchema, jsonSchema as JsonSchema),
      })
      // What zod makes is JSON Schema; its own type says `boolean` where ours says what we read.
      const { $schema, $defs = {}, ...described } = made as JsonSchema & { $schema?: string }
      for (const [name, named] of Object.entries($defs)) {
        if (!isAnyJson(name)) components[name] ??= tidy(named)
      }
      return tidy(described)
    },
  }
}

/** Fields that answers always have, though the app's own protocol leaves them out without a value. */
function addBlanks(zodSchema: unknown, described: JsonSchema) {
  const blank = blanks.get(zodSchema)
  if (!blank) return
  const properties = { ...described.properties }
  for (const [name, value] of Object.entries(blank)) {
    const shape = properties[name] ?? { type: 'string' }
    properties[name] = value === null ? { anyOf: [shape, { type: 'null' }] } : shape
  }
  described.properties = properties
  described.required = [...new Set([...(described.required ?? []), ...Object.keys(blank)])]
}

/** zod itself names only the definitions of `z.json()`: any JSON value. */
function isAnyJson(name: string): boolean {
  return name.startsWith('__schema')
}

/** Points references into the description; drops what only a validator needs. */
function tidy(schema: JsonSchema): JsonSchema {
  const { $ref, pattern, additionalProperties, maximum, ...rest } = schema
  if ($ref !== undefined) {
    const name = $ref.replace('#/$defs/', '')
    return isAnyJson(name) ? {} : { $ref: `${componentsPath}${name}` }
  }
  const isOpen = typeof additionalProperties === 'object'
  return {
    ...rest,
    ...(pattern !== undefined && rest.format === undefined ? { pattern } : {}),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? { maximum } : {}),
    ...(rest.anyOf && { anyOf: rest.anyOf.map(tidy) }),
    ...(rest.oneOf && { oneOf: rest.oneOf.map(tidy) }),
    ...(rest.items && { items: tidy(rest.items) }),
    ...(rest.properties && { properties: tidyAll(rest.properties) }),
    ...(isOpen ? { additionalProperties: tidy(additionalProperties) } : {}),
  }
}

function tidyAll(properties: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, tidy(property)]),
  )
}

/** The part of JSON Schema that our schemas convert to. */
export interface JsonSchema {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  default?: unknown
}
