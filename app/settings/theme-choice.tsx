import { RadioChoice } from './radio-choice.tsx'

export interface ThemeChoiceProps {
  themes: readonly { value: string; name: string }[]
  theme: string
  /** The system's current preference. */
  systemNow: 'light' | 'dark'
  onTheme(value: string): void
}

/** The theme setting of this device. */
export function ThemeChoice({ themes, theme, systemNow, onTheme }: ThemeChoiceProps) {
  return (
    <RadioChoice
      legend="Theme"
      options={themes}
      value={theme}
      note={`System default follows this device: ${systemNow} now.`}
      isNoted={(value) => value === 'system'}
      onChoose={onTheme}
    />
  )
}
