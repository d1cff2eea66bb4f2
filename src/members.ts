/** Which of an object's members are known by name: asked for member by member, for a great many objects. */

/**
 * A table of names for the members of objects that a service writes alike. A member at the place it had in the object before is
 * recognised by that, without a search; so is one that is not in the table.
 */
export class KnownMembers<T> {
  private readonly names: string[] = [];
  private readonly found: (T | undefined)[] = [];

  constructor(private readonly byName: ReadonlyMap<string, T>) {}

  /** What belongs to the member `name` that is the `place`th of its object, from 0. */
  at(place: number, name: string): T | undefined {
    return this.names[place] === name ? this.found[place] : this.search(place, name);
  }

  private search(place: number, name: string): T | undefined {
    const found = this.byName.get(name);
    // Places far behind the table hold members that nobody knows: not worth the memory.
    if (place <= this.names.length && place < 2 * this.byName.size) {
      this.names[place] = name;
      this.found[place] = found;
    }
    return found;
  }
}
