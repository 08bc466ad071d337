interface MaybeMedia {
  id?: string
}

interface Content extends MaybeMedia {
  header?: { type: string } & Record<string, MaybeMedia>
  components?: { parameters?: ({ type: string } & Record<string, MaybeMedia>)[] }[]
}

/** The ids of uploaded files in a message's content, wherever its type has them. */
export function listMediaIds(content: unknown): string[] {
  const { id, header, components = [] } = content as Content
  const parameters = components.flatMap((component) => component.parameters ?? [])
  const inner = [...(header ? [header] : []), ...parameters].map((part) => part[part.type]?.id)
  return [id, ...inner].filter((one) => typeof one === 'string')
}
