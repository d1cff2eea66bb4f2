/** Cards that are more than a list of fields: their sections in order. */
import type { CardName } from '../contract/endpoint.ts';
import { personCard } from './person-card.ts';
import { revenueCard } from './revenue-card.ts';
import type { Section } from './section.ts';

export const cardPlans: Readonly<Record<CardName, readonly Section[]>> = { person: personCard, revenue: revenueCard };
