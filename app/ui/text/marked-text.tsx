import styles from './marked-text.module.css'

/** Parts of a text, in order and apart from each other; UTF-16 indexes. */
export interface TextMark {
  start: number
  end: number
}

interface MarkedTextProps {
  text: string
  marks: readonly TextMark[]
}

/** A text in which what was looked for stands out. */
export function MarkedText({ text, marks }: MarkedTextProps) {
  return splitAtMarks(text, marks).map(({ start, part, isMarked }) =>
    isMarked ? (
      <mark key={start} className={styles.mark}>
        {part}
      </mark>
    ) : (
      part
    ),
  )
}

function splitAtMarks(text: string, marks: readonly TextMark[]) {
  const parts: { start: number; part: string; isMarked: boolean }[] = []
  let end = 0
  for (const mark of marks) {
    parts.push({ start: end, part: text.slice(end, mark.start), isMarked: false })
    parts.push({ start: mark.start, part: text.slice(mark.start, mark.end), isMarked: true })
    end = mark.end
  }
  parts.push({ start: end, part: text.slice(end), isMarked: false })
  return parts.filter(({ part }) => part !== '')
}
