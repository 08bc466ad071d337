import { quickReactions } from '../../../schema/reaction.ts'

const names: Record<(typeof quickReactions)[number], string> = {
  '👍': 'Thumbs up',
  '❤️': 'Red heart',
  '😃': 'Smiling',
  '😢': 'Crying',
  '🙏': 'Folded hands',
  '👎': 'Thumbs down',
  '😡': 'Angry',
}

/** The seven reactions that are offered first, in their order, and how a screen reader names them. */
export const namedQuickReactions = quickReactions.map((emoji) => ({ emoji, name: names[emoji] }))
