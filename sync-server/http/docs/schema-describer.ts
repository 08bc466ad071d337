import * as z from 'zod/mini'
import type { JsonSchema } from './json-schema.ts'
import { namedSchemas } from './named-schemas.ts'

const componentsPath = '#/components/schemas/'

export type SchemaDescriber = ReturnType<typeof createSchemaDescriber>

/** Turns zod schemas into JSON Schema, and collects those that have names of their own. */
export function createSchemaDescriber() {
  const components: Record<string, JsonSchema> = {}

  return {
    components,
    /** @param io `input` for what a call takes, `output` for what it answers */
    describe(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
      const made = z.toJSONSchema(schema, { io, metadata: namedSchemas, unrepresentable: 'any' })
      // What zod makes is JSON Schema; its own type says `boolean` where ours says what we read.
      const { $schema, $defs = {}, ...described } = made as JsonSchema & { $schema?: string }
      for (const [name, named] of Object.entries($defs)) {
        if (!isAnyJson(name)) components[name] ??= tidy(named)
      }
      return tidy(described)
    },
  }
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
